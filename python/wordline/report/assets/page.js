"use strict";
(() => {
  // Okabe and Ito's palette without its black: told apart with every kind of colour blindness.
  const COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8C8C8C"];
  const DASHES = ["solid", "dash", "dot", "dashdot"];
  const charts = JSON.parse(document.getElementById("data").textContent);
  const status = document.getElementById("status");
  const say = (text) => { status.textContent = text; };
  const colourOf = (number) => COLOURS[number % COLOURS.length];
  const cssValue = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

  function element(name, properties = {}, children = []) {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...children);
    return made;
  }

  async function unpack() {
    const packed = document.getElementById("library").textContent.trim();
    const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    const script = document.createElement("script");
    script.textContent = await new Response(stream).text();
    document.head.append(script);
  }

  function traces(chart) {
    return chart.series.map((series, number) => {
      // Plotly reads markup in a name; here a name is text.
      const name = series.name.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
      const shared = { name, x: series.x, y: series.y };
      if (chart.kind === "bar" || chart.kind === "stack") {
        return { ...shared, type: "bar", marker: { color: colourOf(number) } };
      }
      const dash = DASHES[Math.floor(number / COLOURS.length) % DASHES.length];
      const line = { color: colourOf(number), dash, width: 2, shape: chart.kind === "step" ? "hv" : "linear" };
      return { ...shared, type: "scatter", mode: "lines", line };
    });
  }

  function axis(said, extra = {}) {
    const made = {
      title: { text: said.title }, type: said.log ? "log" : undefined, automargin: true,
      gridcolor: cssValue("--grid"), linecolor: cssValue("--line"), zerolinecolor: cssValue("--line"), ...extra,
    };
    if (said.ticks) {
      made.tickvals = said.ticks.map((tick) => tick[0]);
      made.ticktext = said.ticks.map((tick) => tick[1]);
    }
    return made;
  }

  function layout(chart) {
    const categories = chart.kind === "bar" || chart.kind === "stack" ? { type: "category" } : {};
    // Percentiles rise upwards although the share of slower requests falls.
    const tail = chart.y.ticks ? { autorange: "reversed" } : {};
    return {
      barmode: chart.kind === "stack" ? "stack" : "group", showlegend: false, dragmode: "zoom",
      margin: { t: 10, r: 10 }, paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)",
      font: { color: cssValue("--text"), family: "system-ui, sans-serif" }, hovermode: "closest",
      xaxis: axis(chart.x, categories), yaxis: axis(chart.y, tail),
    };
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

  function reset(place, chart) {
    return Plotly.relayout(place, {
      "xaxis.autorange": true, "yaxis.autorange": chart.y.ticks ? "reversed" : true,
    });
  }

  function lines(chart) {
    const rows = [["series", chart.x.title || "run", chart.y.title]];
    for (const series of chart.series) {
      series.x.forEach((x, number) => rows.push([series.name, x, series.y[number]]));
    }
    return rows;
  }

  function download(chart) {
    const quoted = (cell) => (/[",\n]/.test(cell) ? `"${String(cell).replaceAll('"', '""')}"` : String(cell));
    const text = lines(chart).map((row) => row.map(quoted).join(",")).join("\n") + "\n";
    const link = element("a", { href: URL.createObjectURL(new Blob([text], { type: "text/csv" })), download: `${chart.id}.csv` });
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    say(`${chart.id}.csv is saved`);
  }

  function table(chart) {
    const [head, ...rows] = lines(chart);
    const cells = (row, name) => row.map((cell) => element(name, { textContent: cell }));
    const body = element("tbody", {}, rows.map((row) => element("tr", {}, cells(row, "td"))));
    const heading = element("thead", {}, [element("tr", {}, cells(head, "th"))]);
    heading.querySelectorAll("th").forEach((cell) => { cell.scope = "col"; });
    const made = element("div", { className: "wide", tabIndex: 0 }, [
      element("table", {}, [element("caption", { textContent: chart.title }), heading, body]),
    ]);
    made.setAttribute("role", "region");
    made.setAttribute("aria-label", `Data: ${chart.title}`);
    return made;
  }

  function switches(chart, place) {
    const boxes = chart.series.map((series, number) => {
      const box = element("input", { type: "checkbox", checked: true });
      box.addEventListener("change", () => {
        Plotly.restyle(place, { visible: box.checked }, [number]);
        say(`${series.name} ${box.checked ? "shown" : "hidden"}`);
      });
      const swatch = element("span", { className: "swatch" });
      swatch.style.background = colourOf(number);
      swatch.setAttribute("aria-hidden", "true");
      return { box, label: element("label", {}, [box, swatch, series.name]) };
    });
    const all = (on) => {
      boxes.forEach(({ box }) => { box.checked = on; });
      Plotly.restyle(place, { visible: on });
      say(on ? "all shown" : "all hidden");
    };
    const button = (text, on) => {
      const made = element("button", { type: "button", textContent: text });
      made.addEventListener("click", () => all(on));
      return made;
    };
    const many = boxes.length > 2 ? [button("All", true), button("None", false)] : [];
    return element("fieldset", {}, [
      element("legend", { textContent: "Shown" }), ...many, ...boxes.map(({ label }) => label),
    ]);
  }

  function controls(chart, place, bar) {
    const actions = [
      ["Zoom in", () => zoom(place, 0.5)], ["Zoom out", () => zoom(place, 2)], ["Left", () => zoom(place, 1, -0.25)],
      ["Right", () => zoom(place, 1, 0.25)], ["Whole chart", () => reset(place, chart)], ["Save data (CSV)", () => download(chart)],
    ];
    for (const [text, action] of actions) {
      const button = element("button", { type: "button", textContent: text });
      button.setAttribute("aria-label", `${text}: ${chart.title}`);
      button.addEventListener("click", action);
      bar.append(button);
    }
    bar.append(switches(chart, place));
    const details = element("details", {}, [element("summary", { textContent: "Data as a table" })]);
    details.addEventListener("toggle", () => {
      if (details.open && details.children.length === 1) details.append(table(chart));
    });
    bar.append(details);
  }

  function draw(chart) {
    const figure = document.querySelector(`figure[data-chart="${chart.id}"]`);
    const place = figure.querySelector(".chart");
    // The buttons below do the same for mouse, keyboard and screen reader.
    const options = { responsive: true, displayModeBar: false };
    Plotly.newPlot(place, traces(chart), layout(chart), options);
    controls(chart, place, figure.querySelector(".controls"));
    const dark = matchMedia("(prefers-color-scheme: dark)");
    dark.addEventListener("change", () => Plotly.relayout(place, layout(chart)));
  }

  document.querySelectorAll("[data-copy]").forEach((button) => button.addEventListener("click", async () => {
    const text = document.getElementById(button.dataset.copy);
    try {
      await navigator.clipboard.writeText(text.textContent);
      say("The configuration is copied");
    } catch {
      // A page from a file may have no clipboard: then the text is selected, ready for Ctrl-C.
      getSelection().selectAllChildren(text);
      say("The configuration is selected");
    }
  }));

  unpack().then(() => {
    // One at a time, the first at once, so that the page answers meanwhile.
    const next = () => {
      const chart = charts.shift();
      if (chart === undefined) {
        document.body.dataset.ready = "yes";
        return;
      }
      draw(chart);
      setTimeout(next);
    };
    next();
  }).catch((error) => say(`The charts cannot be drawn: ${error.message}`));
})();
