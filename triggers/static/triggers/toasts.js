// Toasts of firings: a few at a time; one that asks nothing goes by itself, unless somebody points at it or is within it.
const SECONDS = 10;
const MOST = matchMedia("(max-width: 40rem)").matches ? 3 : 4;
const list = document.getElementById("toasts-list");

const isHeld = (toast) => toast.matches(":hover") || toast.contains(document.activeElement);

function close(toast) {
  const next = toast.contains(document.activeElement) ? (toast.nextElementSibling ?? toast.previousElementSibling) : null;
  toast.remove();
  next?.querySelector("a, button").focus();
}

function later(toast) {
  setTimeout(() => { if (isHeld(toast)) later(toast); else toast.remove(); }, SECONDS * 1000);
}

function tidy() {
  const shown = [...list.children];
  const goes = [...shown.filter((toast) => !("stays" in toast.dataset)), ...shown.filter((toast) => "stays" in toast.dataset)];
  for (const toast of goes.slice(0, Math.max(0, shown.length - MOST))) if (!isHeld(toast)) toast.remove();
}

list.addEventListener("click", (event) => {
  const button = event.target.closest("[data-close-toast]");
  if (button) close(button.closest("li"));
});
list.addEventListener("keydown", (event) => {
  if (event.key === "Escape") close(event.target.closest("li"));
});
new MutationObserver((changes) => {
  for (const change of changes) for (const toast of change.addedNodes) {
    if (toast.nodeType === Node.ELEMENT_NODE && !("stays" in toast.dataset)) later(toast);
  }
  tidy();
}).observe(list, { childList: true });
