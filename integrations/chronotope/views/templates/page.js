"use strict";
const pageData = () => JSON.parse(document.getElementById("page-data").textContent);
const make = (tag, options = {}, ...children) => {
  const { dataset, ...rest } = options;
  const node = Object.assign(document.createElement(tag), rest);
  Object.assign(node.dataset, dataset);
  node.append(...children);
  return node;
};
for (const button of document.querySelectorAll("[data-theme-button]")) {
  button.addEventListener("click", () => {
    const root = document.documentElement;
    const dark = root.style.colorScheme ? root.style.colorScheme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.style.colorScheme = dark ? "light" : "dark";
  });
}
