// What the reader looks at: which runs, in which colours, cut into which panels.
(() => {
  // Okabe and Ito's palette without its black: told apart with every kind of colour blindness.
  const COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8C8C8C", "#7A5C00"];
  const DASHES = ["solid", "dash", "dot", "dashdot"];
  const FIXED = { good: "#009E73", write: "#0072B2", bad: "#D55E00", wait: "#E69F00" };

  report.begin = (data) => {
    report.runs = data.runs;
    report.keys = data.keys;
    report.data = data;
    report.view = { ...data.view, shown: data.runs.map(() => true) };
  };

  report.fixed = (name) => (name === "idle" ? report.cssValue("--idle") : FIXED[name]);
  report.text = (run, key) => (key === null ? report.runs[run].label : report.runs[run].keys[key]);
  report.values = (key) => [...new Set(report.runs.map((_, run) => report.text(run, key)))];
  report.shown = () => report.runs.map((_, run) => run).filter((run) => report.view.shown[run]);

  // A value has the same colour in every chart, whatever is shown.
  const lookAt = (place, line) => ({ colour: COLOURS[place % COLOURS.length], dash: DASHES[line % DASHES.length] });
  report.look = (run) => {
    const { colour, dashes } = report.view;
    const place = colour === null ? run : report.values(colour).indexOf(report.text(run, colour));
    const line = dashes === null ? Math.floor(place / COLOURS.length) : report.values(dashes).indexOf(report.text(run, dashes));
    return lookAt(place, line);
  };

  // In a chart with parts, such as flows, each part has a colour, and each run a panel.
  report.lookOfPart = (chart, part) => lookAt(chart.parts.indexOf(part), 0);
  report.panelsOf = (chart) => {
    const runs = report.shown();
    if (!chart.parts) return report.grouped(runs);
    return runs.map((run) => [runs.length > 1 ? report.runs[run].short : "", [["", [run]]]]);
  };

  // Runs by panel, then by colour and dashes: [[panel's name, [[name of colour and dashes, runs], …]], …].
  report.grouped = (runs) => {
    const by = (of, key) => {
      const groups = new Map();
      for (const run of of) {
        const name = report.text(run, key);
        groups.set(name, [...(groups.get(name) ?? []), run]);
      }
      return [...groups];
    };
    const { panels, colour, dashes } = report.view;
    const cut = panels === null ? [["", runs]] : by(runs, panels);
    const split = ([name, of]) => (dashes === null ? [[name, of]] : by(of, dashes).map(([dash, its]) => [`${name}, ${dash}`, its]));
    return cut.map(([name, of]) => [name, by(of, colour).flatMap(split)]);
  };
})();
