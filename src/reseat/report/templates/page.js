"use strict";
// The page is complete without this script, which adds sorting of tables, filters and search.

// A click on the head of a column sorts by it, and a second click reverses the order.
for (const table of document.querySelectorAll("table.sortable")) {
  const heads = [...table.tHead.rows].flatMap((row) => [...row.cells]);
  for (const head of heads) {
    if (head.colSpan > 1 || !head.textContent.trim()) continue;
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => sort(table, head, heads));
  }
}

function sort(table, head, heads) {
  const up = head.getAttribute("aria-sort") !== "ascending";
  for (const other of heads) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", up ? "ascending" : "descending");
  const column = head.cellIndex;
  // An entry is either a table body of its own, or a row of the only body. In a table of scores it
  // is a body with all rows of a system, even if there is only one system.
  const many = table.tBodies.length > 1 || table.classList.contains("scores");
  const entries = many ? [...table.tBodies] : [...table.tBodies[0].rows];
  const value = (entry) => {
    const cell = (many ? entry.rows[0] : entry).cells[column];
    if (!cell) return "";
    // Durations, and numbers that follow a mark, have their sort key in an attribute.
    const text = cell.dataset.sort ?? cell.textContent.trim();
    const plain = text.replace(/\u2212/g, "-").replace(/,/g, "").replace(/\u221e/g, "Infinity");
    const number = parseFloat(plain);
    return Number.isNaN(number) ? text.toLowerCase() : number;
  };
  const order = (a, b) => {
    const [x, y] = [value(a), value(b)];
    if (typeof x !== typeof y) return typeof x === "number" ? -1 : 1; // text is last in either order
    return (x < y ? -1 : x > y ? 1 : 0) * (up ? 1 : -1);
  };
  const sorted = entries.sort(order);
  (many ? table : table.tBodies[0]).append(...sorted);
  if (many && table.tFoot) table.append(table.tFoot);
}

// On a phone, wide parts start closed to keep the page short.
if (matchMedia("(max-width: 44rem)").matches) {
  for (const part of document.querySelectorAll("details[data-wide]")) part.open = false;
}

// Open the details around the target of a link, and those directly inside it.
function reveal() {
  const id = decodeURIComponent(location.hash.slice(1));
  const target = id && document.getElementById(id);
  if (!target) return;
  for (let at = target; at; at = at.parentElement) if (at.tagName === "DETAILS") at.open = true;
  const inside = target.querySelector(":scope > details");
  if (inside) inside.open = true;
  target.scrollIntoView();
}
addEventListener("hashchange", reveal);
reveal();

// Filters and search hide the entries that do not match.
const form = document.querySelector("form.find");
if (form) {
  form.hidden = false;
  const entries = [...document.querySelectorAll("[data-tags]")];
  const said = form.querySelector("output");
  const find = () => {
    const tags = [...form.querySelectorAll("input:checked")].map((box) => box.value);
    const words = form.querySelector("input[type=search]").value.trim().toLowerCase();
    let shown = 0;
    for (const entry of entries) {
      const own = entry.dataset.tags.split(" ");
      const found = tags.every((tag) => own.includes(tag)) && entry.textContent.toLowerCase().includes(words);
      entry.hidden = !found;
      shown += found;
    }
    for (const group of document.querySelectorAll("[data-group]")) {
      group.hidden = !group.querySelector("[data-tags]:not([hidden])");
      if (words && group.tagName === "DETAILS") group.open = true;
    }
    said.textContent = tags.length || words ? `${shown} of ${entries.length}` : "";
  };
  form.addEventListener("input", find);
  form.addEventListener("submit", (event) => event.preventDefault());
}
