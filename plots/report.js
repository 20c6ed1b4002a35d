// Sorts and filters the tables, and saves images. Without it every row is shown, in the order that
// was written.
"use strict";
for (const link of document.querySelectorAll("figcaption a[download]")) {
  link.href = link.closest("figure").querySelector("img").src;
  link.hidden = false;
}
for (const part of document.querySelectorAll(".table")) {
  const body = part.querySelector("tbody");
  const search = part.querySelector("input[type=search]");
  const all = part.querySelector("input[type=checkbox]");
  const count = part.querySelector("output");
  part.querySelector(".controls").hidden = false;
  const show = () => {
    const words = search.value.toLowerCase().split(/\s+/);
    let shown = 0;
    for (const row of body.rows) {
      const text = row.textContent.toLowerCase();
      const wanted = words.every((word) => text.includes(word));
      const quiet = row.hasAttribute("data-quiet") && all && !all.checked;
      row.hidden = !wanted || quiet;
      shown += row.hidden ? 0 : 1;
    }
    count.textContent = `${shown} of ${body.rows.length} rows`;
  };
  search.addEventListener("input", show);
  if (all) all.addEventListener("change", show);
  show();
  const heads = [...part.querySelectorAll("thead th")];
  heads.forEach((head, column) => head.querySelector("button").addEventListener("click", () => {
    const order = head.getAttribute("aria-sort") === "ascending" ? "descending" : "ascending";
    heads.forEach((other) => other.setAttribute("aria-sort", other === head ? order : "none"));
    const sign = order === "ascending" ? 1 : -1;
    const compare = (a, b) => {
      const left = a.cells[column], right = b.cells[column];
      const x = left.dataset.number, y = right.dataset.number;
      if (x !== undefined && y !== undefined) return sign * (x - y);
      if (x !== undefined || y !== undefined) return x !== undefined ? -1 : 1;
      return sign * left.textContent.localeCompare(right.textContent);
    };
    body.append(...[...body.rows].sort(compare));
  }));
}
