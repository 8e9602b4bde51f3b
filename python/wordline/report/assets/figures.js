// A figure of the page: its drawing, its legend, its buttons, its data.
(() => {
  const { element, say } = report;
  const isBars = (chart) => chart.kind === "bar" || chart.kind === "stack";
  const BAR_PX = 26;
  const PANEL_PX = 190;
  // What stands for a dash in a legend.
  const BORDERS = { solid: "solid", dash: "dashed", dot: "dotted", dashdot: "dashed" };

  function axis(said, extra = {}) {
    const made = {
      title: { text: said.title, standoff: 8 }, type: said.log ? "log" : undefined, automargin: true,
      gridcolor: report.cssValue("--grid"), linecolor: report.cssValue("--line"), zerolinecolor: report.cssValue("--line"),
      // 32,500 in place of 32.5k; between powers of ten whole numbers, not their first digits.
      separatethousands: true, exponentformat: "none", minorloglabels: "complete",
      minor: said.log ? { ticks: "outside", ticklen: 4, tickcolor: report.cssValue("--line") } : undefined, ...extra,
    };
    if (said.ticks) {
      made.tickvals = said.ticks.map((tick) => tick[0]);
      made.ticktext = said.ticks.map((tick) => tick[1]);
    }
    return made;
  }

  // Panels stand in rows; all have the same axes, and only the outer ones are labelled. But runs are of different
  // lengths: over time each panel has an axis of its own.
  function panelled(chart, panels, width) {
    const rows = Math.ceil(panels.length / (width < 500 ? 1 : width < 900 ? 2 : 4));
    const columns = Math.ceil(panels.length / rows);
    const made = { annotations: [] };
    panels.forEach(([name], number) => {
      const [row, column] = [Math.floor(number / columns), number % columns];
      const x = [column / columns + (column ? 0.012 : 0), (column + 1) / columns - 0.012];
      const y = [1 - (row + 1) / rows + (rows > 1 ? 0.09 / rows * 2 : 0), 1 - row / rows - (panels.length > 1 ? 0.13 / rows : 0)];
      const id = report.axisName(number);
      const isLow = number + columns >= panels.length;
      const isOwn = chart.group === "time" && panels.length > 1;
      const tail = chart.y.ticks ? { autorange: "reversed" } : { rangemode: chart.y.zero ? "tozero" : "normal" };
      made[`xaxis${id}`] = { ...axis(isLow ? chart.x : { ...chart.x, title: "" }), domain: x, anchor: `y${id}`, showticklabels: isLow || isOwn };
      made[`yaxis${id}`] = { ...axis(column ? { ...chart.y, title: "" } : chart.y, tail), domain: y, anchor: `x${id}`, showticklabels: !column };
      if (number && !isOwn) Object.assign(made[`xaxis${id}`], { matches: "x" });
      if (number) Object.assign(made[`yaxis${id}`], { matches: "y" });
      if (name) made.annotations.push({ text: chart.parts ? report.plain(name) : `${report.plain(report.view.panels.split(".").pop())} = ${report.plain(name)}`, showarrow: false, xref: "paper", yref: "paper", x: x[0], y: y[1], xanchor: "left", yanchor: "bottom", font: { size: 12 } });
    });
    return { ...made, rows };
  }

  function layout(chart, panels, width) {
    const shared = {
      showlegend: false, dragmode: "zoom", margin: { t: 12, r: 12, b: 44, l: 50 }, paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)",
      font: { color: report.cssValue("--text"), family: "system-ui, sans-serif", size: 12 }, hovermode: "closest",
    };
    if (!isBars(chart)) {
      const { rows, ...made } = panelled(chart, panels, width);
      return { ...shared, ...made, height: rows > 1 ? rows * PANEL_PX + 60 : 320 };
    }
    const groups = report.bars(panels);
    const short = (name) => report.runs.find(({ label }) => label === name)?.short ?? name;
    const names = groups.map(({ name }) => short(name)).map((name) => (name.length > 28 ? `${name.slice(0, 27)}…` : name));
    return {
      // Half of the last tick's label stands beyond the axis.
      ...shared, margin: { ...shared.margin, r: 24 }, barmode: chart.kind === "stack" ? "stack" : "group", height: Math.max(110, groups.length * BAR_PX + 70),
      xaxis: axis(chart.x, { rangemode: "tozero", range: chart.kind === "stack" ? [0, 100] : undefined }),
      yaxis: axis(chart.y, { tickvals: names.map((_, place) => place), ticktext: names.map(report.plain), showgrid: false }),
    };
  }

  function legend(chart, panels) {
    const entry = (style, text) => {
      const swatch = element("span", { className: "swatch" });
      Object.assign(swatch.style, style);
      swatch.setAttribute("aria-hidden", "true");
      return element("span", {}, [swatch, text]);
    };
    if (isBars(chart)) {
      const { panels: first, colour: second, dashes: third } = report.view;
      const keys = [first, second, third].filter((key) => key !== null).map((key) => key.split(".").pop());
      const parts = chart.kind === "stack" ? chart.series.map((series) => entry({ background: report.fixed(series.colour) }, series.name)) : [];
      return keys.length > 1 ? [...parts, element("span", { textContent: `bars by ${keys.join(", ")}` })] : parts;
    }
    if (chart.parts) return chart.parts.map((part) => entry({ background: report.lookOfPart(chart, part).colour }, part));
    if (report.runs.length < 2) return [];
    const groups = panels.flatMap(([, of]) => of.map(([, runs]) => runs));
    const shown = groups.flat();
    const values = (key, style) => report.values(key).flatMap((value) => {
      const run = shown.find((each) => report.text(each, key) === value);
      return run === undefined ? [] : [entry(style(report.look(run)), key === null ? report.runs[run].short : `${key.split(".").pop()} = ${value}`)];
    });
    const { colour, dashes } = report.view;
    const made = values(colour, (look) => ({ background: look.colour }));
    if (dashes !== null) made.push(...values(dashes, (look) => ({ border: 0, borderTop: `2px ${BORDERS[look.dash]} currentColor`, height: 0, verticalAlign: "middle" })));
    const most = Math.max(...groups.map((runs) => runs.length));
    return most > 4 ? [...made, element("span", { textContent: `line: median; area: range of up to ${most} runs` })] : made;
  }

  report.rows = (chart) => {
    if (isBars(chart)) {
      const rows = report.shown().flatMap((run) => chart.series.map((series) => [report.runs[run].label, series.name, series.y[run] ?? ""]));
      return [["run", "part", chart.x.title], ...rows];
    }
    const parts = chart.parts ? ["part"] : [];
    const rows = [["run", ...parts, chart.x.title, chart.y.title]];
    for (const series of chart.series.filter(({ run }) => report.view.shown[run])) {
      const names = [report.runs[series.run].label, ...(chart.parts ? [series.part] : [])];
      series.x.forEach((x, number) => rows.push([...names, x, series.y[number] ?? ""]));
    }
    return rows;
  };

  function download(chart) {
    const quoted = (cell) => (/[",\n]/.test(cell) ? `"${String(cell).replaceAll('"', '""')}"` : String(cell));
    const text = report.rows(chart).map((row) => row.map(quoted).join(",")).join("\n") + "\n";
    const link = element("a", { href: URL.createObjectURL(new Blob([text], { type: "text/csv" })), download: `${chart.id}.csv` });
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    say(`${chart.id}.csv is saved`);
  }

  function table(chart) {
    const [head, ...rows] = report.rows(chart);
    const cells = (row, name) => row.map((cell) => element(name, name === "td" ? { textContent: cell } : { textContent: cell, scope: "col" }));
    const body = element("tbody", {}, rows.map((row) => element("tr", {}, cells(row, "td"))));
    const heading = element("thead", {}, [element("tr", {}, cells(head, "th"))]);
    const caption = element("caption", { textContent: chart.title });
    const made = element("div", { className: "wide", tabIndex: 0 }, [element("table", { className: "plain" }, [caption, heading, body])]);
    made.setAttribute("role", "region");
    made.setAttribute("aria-label", `Data: ${chart.title}`);
    return made;
  }

  function zoom(place, factor, shift = 0) {
    const changes = {};
    for (const name of ["xaxis", "yaxis"]) {
      const [from, to] = place._fullLayout[name].range.map(Number);
      const middle = (from + to) / 2 + (name === "xaxis" ? shift * (to - from) : 0);
      const half = (to - from) / 2 * factor;
      changes[`${name}.range`] = [middle - half, middle + half];
    }
    return Plotly.relayout(place, changes);
  }

  function controls(chart, place) {
    const actions = [
      ["Zoom in", () => zoom(place, 0.5)], ["Zoom out", () => zoom(place, 2)], ["Left", () => zoom(place, 1, -0.25)],
      ["Right", () => zoom(place, 1, 0.25)], ["Whole chart", () => report.draw(chart)], ["Save data (CSV)", () => download(chart)],
    ];
    const buttons = actions.map(([text, action]) => {
      const button = element("button", { type: "button", textContent: text });
      button.setAttribute("aria-label", `${text}: ${chart.title}`);
      button.addEventListener("click", action);
      return button;
    });
    const data = element("details", { className: "data" }, [element("summary", { textContent: "Data as a table" })]);
    data.addEventListener("toggle", () => {
      data.querySelector(".wide")?.remove();
      if (data.open) data.append(table(chart));
    });
    return element("details", { className: "tools" }, [element("summary", { textContent: "Zoom and data" }), element("div", {}, buttons), data]);
  }

  // Charts over time have one axis: all show the part that one of them is zoomed to.
  function follow(place) {
    if (place.dataset.follows) return;
    place.dataset.follows = "yes";
    place.on("plotly_relayout", (change) => {
      const range = change["xaxis.range"] ?? [change["xaxis.range[0]"], change["xaxis.range[1]"]];
      if (range[0] === undefined) return;
      for (const chart of report.data.charts.filter(({ group }) => group === "time")) {
        const other = document.querySelector(`figure[data-chart="${chart.id}"] .chart`);
        // A chart that shows this part already needs no change, which ends the round.
        if (other._fullLayout && other._fullLayout.xaxis.range[0] !== range[0]) Plotly.relayout(other, { "xaxis.range": range });
      }
    });
  }

  // The same charts over what the host has written, and back.
  report.overWritten = () => {
    const charts = report.data.charts.filter(({ group }) => group === "time");
    const isWritten = (report.isOverWritten = !report.isOverWritten);
    for (const chart of charts) {
      chart.x.title = isWritten ? "written by the host (GB)" : "simulated time (s)";
      for (const series of chart.series) [series.x, series.written_gb] = [series.written_gb, series.x];
    }
    return isWritten;
  };

  report.draw = (chart) => {
    const figure = document.querySelector(`figure[data-chart="${chart.id}"]`);
    const place = figure.querySelector(".chart");
    const panels = report.panelsOf(chart);
    figure.classList.toggle("whole", panels.length > 1 && !isBars(chart));
    const drawn = layout(chart, panels, place.clientWidth);
    place.style.height = `${drawn.height}px`;
    // The buttons below do the same for mouse, keyboard and screen reader.
    Plotly.react(place, report.traces(chart, panels), drawn, { responsive: true, displayModeBar: false });
    if (chart.group === "time") follow(place);
    figure.querySelector(".legend").replaceChildren(...legend(chart, panels));
    const bar = figure.querySelector(".controls");
    if (!bar.children.length) bar.append(controls(chart, place));
    // On paper the drawing shrinks with the page.
    place.style.setProperty("--ratio", place.clientWidth / drawn.height);
    for (const svg of place.querySelectorAll("svg.main-svg")) svg.setAttribute("viewBox", `0 0 ${place.clientWidth} ${drawn.height}`);
  };
})();
