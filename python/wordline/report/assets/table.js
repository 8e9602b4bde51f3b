// The table of runs: filtered, grouped, sorted; the charts show the runs that it shows.
(() => {
  const { element, select, say } = report;
  const VALUES_MAX = 40;
  // More kinds of lines are not told apart.
  const DASHES_MAX = 3;
  const choice = { group: "", sort: "", falls: false, filters: {}, search: "" };
  const number = (cell) => (cell?.dataset.value === undefined ? null : Number(cell.dataset.value));

  function names(table) {
    return [...table.querySelectorAll("thead th")].map((head) => head.dataset.name);
  }

  function compare(a, b, place) {
    const [first, second] = [a.children[place], b.children[place]];
    const [x, y] = [number(first), number(second)];
    // What has no number stands last, however the others are sorted.
    if ((x === null) !== (y === null)) return x === null ? 1 : -1;
    const order = x === null ? first.textContent.localeCompare(second.textContent, "en", { numeric: true }) : x - y;
    return choice.falls ? -order : order;
  }

  function groupRow(table, name, rows) {
    const heads = names(table);
    const cells = heads.slice(1).map((_, place) => {
      const values = rows.map((row) => number(row.children[place + 1])).filter((value) => value !== null);
      const mean = values.reduce((a, b) => a + b, 0) / values.length;
      const cell = element("td", { textContent: values.length ? Number(mean.toPrecision(4)).toLocaleString("en") : "" });
      cell.dataset.label = `${heads[place + 1]}, mean`;
      return cell;
    });
    const head = element("th", { textContent: `${choice.group.split(".").pop()} = ${name} (${rows.length})`, scope: "rowgroup" });
    return element("tr", { className: "group" }, [head, ...cells]);
  }

  function arrange(table) {
    const body = table.tBodies[0];
    const rows = [...body.querySelectorAll("tr[data-run]")].sort((a, b) => a.dataset.run - b.dataset.run);
    const place = names(table).indexOf(choice.sort);
    if (place >= 0) rows.sort((a, b) => compare(a, b, place));
    for (const row of rows) row.hidden = !isWanted(row);
    const groups = choice.group ? report.values(choice.group) : [""];
    const of = (name) => rows.filter((row) => !choice.group || report.text(row.dataset.run, choice.group) === name);
    body.replaceChildren(...groups.flatMap((name) => {
      const seen = of(name).filter((row) => !row.hidden);
      return choice.group && seen.length ? [groupRow(table, name, seen), ...of(name)] : of(name);
    }));
    table.querySelectorAll("thead th").forEach((head) => {
      head.ariaSort = head.dataset.name === choice.sort ? (choice.falls ? "descending" : "ascending") : "none";
    });
  }

  function isWanted(row) {
    const { keys, label } = report.runs[row.dataset.run];
    const isThere = Object.entries(choice.filters).every(([key, value]) => !value || keys[key] === value);
    return isThere && (!choice.search || `${label} ${row.textContent}`.toLowerCase().includes(choice.search.toLowerCase()));
  }

  function show(table, output, redraw) {
    arrange(table);
    for (const row of table.querySelectorAll("tr[data-run]")) {
      const box = row.querySelector("input");
      report.view.shown[row.dataset.run] = !row.hidden && box.checked;
    }
    const count = report.shown().length;
    output.textContent = `${count} of ${report.runs.length} runs shown`;
    say(output.textContent);
    redraw();
  }

  function sorts(table, changed) {
    for (const head of table.querySelectorAll("thead th")) {
      const button = element("button", { type: "button" }, [...head.childNodes]);
      button.addEventListener("click", () => {
        choice.falls = choice.sort === head.dataset.name && !choice.falls;
        choice.sort = head.dataset.name;
        changed();
      });
      head.replaceChildren(button);
    }
  }

  report.runsTable = (redraw) => {
    const [table, form] = [document.querySelector("table.runs"), document.getElementById("choices")];
    if (!table) return;
    const output = element("output");
    const changed = () => show(table, output, redraw);
    for (const row of table.querySelectorAll("tr[data-run]")) {
      const box = element("input", { type: "checkbox", checked: true });
      box.setAttribute("aria-label", `Show run ${Number(row.dataset.run) + 1}: ${report.runs[row.dataset.run].label}`);
      box.addEventListener("change", changed);
      row.firstElementChild.prepend(box, " ");
    }
    sorts(table, changed);
    const set = (name, value) => { choice[name] = value; changed(); };
    const keys = report.keys.map((key) => [key, key]);
    for (const key of report.keys.filter((each) => report.values(each).length <= VALUES_MAX)) {
      const values = report.values(key).map((value) => [value, value]);
      form.append(select(`Only ${key}`, [["", "all"], ...values], "", (value) => { choice.filters[key] = value; changed(); }));
    }
    const search = element("input", { type: "search" });
    search.addEventListener("input", () => set("search", search.value));
    form.append(element("label", {}, ["Search", search]));
    form.append(select("Group rows by", [["", "nothing"], ...keys], "", (value) => set("group", value)));
    const sort = select("Sort by", [["", "order of runs"], ...names(table).map((each) => [each, each])], "", (value) => set("sort", value));
    sort.classList.add("narrow");
    const { view } = report;
    const look = (name) => (value) => { view[name] = value || null; redraw(); };
    form.append(sort);
    form.append(select("Colour charts by", [["", "run"], ...keys], view.colour ?? "", look("colour")));
    form.append(select("Panels by", [["", "one panel"], ...keys], view.panels ?? "", look("panels")));
    const few = keys.filter(([key]) => report.values(key).length <= DASHES_MAX);
    if (few.length) form.append(select("Dashes by", [["", "nothing"], ...few], view.dashes ?? "", look("dashes")));
    form.append(output);
    form.addEventListener("submit", (event) => event.preventDefault());
    output.textContent = `${report.runs.length} runs`;
  };
})();
