// Puts the page together: reads the data, draws one chart after the other, and copies configurations.
(() => {
  const { element, say } = report;

  function configurations() {
    const pre = document.getElementById("config");
    if (!pre) return;
    const whole = pre.textContent.split("\n");
    const choose = document.getElementById("config-run");
    choose?.append(...report.runs.map(({ label }, run) => element("option", { value: run, textContent: `${run + 1}: ${label}` })));
    choose?.addEventListener("change", () => {
      const patch = report.data.configurations[choose.value];
      pre.textContent = (Array.isArray(patch) ? patch : whole.map((line, number) => patch[number] ?? line)).join("\n");
    });
    document.querySelector("[data-copy]").addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(pre.textContent);
        say("The configuration is copied");
      } catch {
        // A page from a file may have no clipboard: then the text is selected, ready for Ctrl-C.
        getSelection().selectAllChildren(pre);
        say("The configuration is selected");
      }
    });
  }

  function drawings() {
    for (const image of document.querySelectorAll("[data-drawing]")) {
      const type = "image/svg+xml";
      image.src = URL.createObjectURL(new Blob([report.data.drawings[image.dataset.drawing]], { type }));
    }
  }

  // Only where something was written in more than one interval.
  function axes(redraw) {
    const charts = report.data.charts.filter(({ group }) => group === "time");
    const figure = document.querySelector(`figure[data-chart="${charts[0]?.id}"]`);
    if (!charts.some(({ series }) => series.some(({ written_gb: gb }) => gb?.at(-1) > gb?.[1]))) return;
    const button = element("button", { type: "button", textContent: "Show over bytes written" });
    button.addEventListener("click", () => {
      button.textContent = report.overWritten() ? "Show over time" : "Show over bytes written";
      redraw();
    });
    figure.closest(".charts").before(element("p", {}, [button]));
  }

  async function start() {
    const [data, library] = await Promise.all([report.unpacked("data"), report.unpacked("library")]);
    if (library) document.head.append(element("script", { textContent: library }));
    report.begin(JSON.parse(data));
    drawings();
    const { charts } = report.data;
    let turn = 0;
    // One at a time, the first at once, so that the page answers meanwhile; a later call makes an earlier one stop.
    const redraw = () => {
      turn += 1;
      const mine = turn;
      const next = (place) => {
        if (mine !== turn) return;
        if (place === charts.length) {
          document.body.dataset.ready = "yes";
          return;
        }
        report.draw(charts[place]);
        setTimeout(() => next(place + 1));
      };
      delete document.body.dataset.ready;
      next(0);
    };
    report.runsTable(redraw);
    configurations();
    axes(redraw);
    redraw();
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
    const all = () => charts.forEach(report.draw);
    // Paper is white, whatever the screen is.
    addEventListener("beforeprint", all);
    addEventListener("afterprint", all);
  }

  start().catch((error) => say(`The charts cannot be drawn: ${error.message}`));
})();
