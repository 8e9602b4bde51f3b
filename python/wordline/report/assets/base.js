"use strict";
// What all parts of the page use: the data, small elements, and the line that a screen reader speaks.
const report = {};
(() => {
  const status = document.getElementById("status");
  report.say = (text) => { status.textContent = text; };
  report.cssValue = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

  report.element = (name, properties = {}, children = []) => {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...children);
    return made;
  };

  report.select = (label, choices, chosen, changed) => {
    const made = report.element("select", {}, choices.map(([value, text]) => (
      report.element("option", { value, textContent: text, selected: value === chosen })
    )));
    made.addEventListener("change", () => changed(made.value));
    return report.element("label", {}, [label, made]);
  };

  report.unpacked = async (id) => {
    const packed = document.getElementById(id).textContent.trim();
    const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Response(stream).text();
  };
})();
