// Charts as Plotly wants them: curves in panels, envelopes of many runs, bars.
(() => {
  // Plotly reads markup in a text; here a name is text.
  const plain = (text) => String(text).replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  // More curves of one colour in a panel are drawn as their median and range.
  const CURVES_MAX = 4;
  const GRID = 80;
  const faint = (colour) => `${colour}40`;
  const median = (values) => {
    const sorted = [...values].sort((a, b) => a - b);
    const middle = (sorted.length - 1) / 2;
    return (sorted[Math.floor(middle)] + sorted[Math.ceil(middle)]) / 2;
  };
  const axis = (number) => (number ? String(number + 1) : "");

  // Where a falling curve comes down to a share; nothing beyond its end.
  function fallsTo(series, share) {
    const place = series.y.findIndex((y) => y <= share);
    return place < 0 ? null : series.x[place];
  }

  function valueAt(series, time) {
    if (time > series.x[series.x.length - 1]) return null;
    let place = 0;
    while (place + 1 < series.x.length && series.x[place + 1] <= time) place += 1;
    return series.y[place];
  }

  // The smallest, middle and largest value at each place, of the curves that reach it.
  function envelope(chart, curves) {
    const rows = [];
    const add = (place, values) => {
      const there = values.filter((value) => value !== null);
      if (there.length > curves.length / 2) rows.push([place, Math.min(...there), median(there), Math.max(...there)]);
    };
    if (chart.kind === "step") {
      const lowest = Math.log10(Math.min(...curves.map((each) => each.y[each.y.length - 1])));
      for (let n = 0; n <= GRID; n += 1) {
        const share = 10 ** (lowest * n / GRID);
        add(share, curves.map((each) => fallsTo(each, share)));
      }
    } else {
      const end = Math.max(...curves.map((each) => each.x[each.x.length - 1]));
      for (let n = 0; n <= GRID; n += 1) add(end * n / GRID, curves.map((each) => valueAt(each, end * n / GRID)));
    }
    return rows;
  }

  function band(chart, name, curves, look, on) {
    const rows = envelope(chart, curves);
    const places = rows.map((row) => row[0]);
    const around = [...places, ...[...places].reverse()];
    const ends = [...rows.map((row) => row[1]), ...rows.map((row) => row[3]).reverse()];
    const flip = chart.kind === "step";
    const shared = { ...on, type: "scatter", name: plain(`${name}: median and range of ${curves.length} runs`) };
    return [
      { ...shared, mode: "lines", line: { width: 0 }, fill: "toself", fillcolor: faint(look.colour), hoverinfo: "skip", x: flip ? ends : around, y: flip ? around : ends },
      { ...shared, mode: "lines", line: { color: look.colour, dash: look.dash, width: 2 }, x: flip ? rows.map((row) => row[2]) : places, y: flip ? places : rows.map((row) => row[2]) },
    ];
  }

  function curves(chart, panels) {
    const made = [];
    panels.forEach(([, groups], panel) => {
      const on = { xaxis: `x${axis(panel)}`, yaxis: `y${axis(panel)}` };
      for (const [name, runs] of groups) {
        const of = chart.series.filter((series) => runs.includes(series.run));
        if (!chart.parts && of.length > CURVES_MAX) {
          made.push(...band(chart, name, of, report.look(runs[0]), on));
          continue;
        }
        for (const series of of) {
          const look = chart.parts ? report.lookOfPart(chart, series.part) : report.look(series.run);
          const line = { color: look.colour, dash: look.dash, width: 2, shape: chart.kind === "step" ? "hv" : "linear" };
          made.push({ ...on, type: "scatter", mode: "lines", name: plain(series.part ?? report.runs[series.run].label), x: series.x, y: series.y, line });
        }
      }
    });
    return made;
  }

  // A bar for each panel and colour: the mean of its runs, and their range.
  report.bars = (panels) => panels.flatMap(([panel, groups]) => (
    groups.map(([name, runs]) => ({ name: [panel, name].filter(Boolean).join(", "), runs }))
  )).reverse();

  function bars(chart, panels) {
    const groups = report.bars(panels);
    // Names need not be different texts for Plotly's axis: places are, and the names are their ticks.
    const y = groups.map((_, place) => place);
    return chart.series.map((series) => {
      const values = groups.map(({ runs }) => runs.map((run) => series.y[run]).filter((value) => value !== null));
      const x = values.map((each) => (each.length ? each.reduce((a, b) => a + b, 0) / each.length : null));
      const color = series.colour ? report.fixed(series.colour) : groups.map(({ runs }) => report.look(runs[0]).colour);
      const isMany = chart.kind === "bar" && values.some((each) => each.length > 1);
      const error_x = isMany ? {
        type: "data", symmetric: false, color: report.cssValue("--text"), thickness: 1,
        array: values.map((each, n) => Math.max(...each) - x[n]), arrayminus: values.map((each, n) => x[n] - Math.min(...each)),
      } : undefined;
      return { type: "bar", orientation: "h", name: plain(series.name), x, y, marker: { color }, error_x };
    });
  }

  report.traces = (chart, panels) => (chart.kind === "bar" || chart.kind === "stack" ? bars(chart, panels) : curves(chart, panels));
  report.plain = plain;
  report.axisName = axis;
})();
