// Questions in a dialog: <a data-dialog href="…"> opens its page there; without this script the page opens by itself.
const dialog = document.getElementById("dialog");
let opener = "";

document.addEventListener("click", async (event) => {
  if (event.target.closest("[data-close]") && dialog.open) {
    event.preventDefault();
    dialog.close();
    return;
  }
  const link = event.target.closest("a[data-dialog]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  opener = link.id;
  await htmx.ajax("GET", link.href, { target: "#dialog .hub-asked", swap: "innerHTML" });
  if (dialog.querySelector("form") && !dialog.open) dialog.showModal();
});

// the part of the page that held the link may have been drawn anew meanwhile
dialog.addEventListener("close", () => {
  dialog.querySelector(".hub-asked").replaceChildren();
  document.getElementById(opener)?.focus();
});
