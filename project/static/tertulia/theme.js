// Before anything is painted: the colours that unfold's pages keep under the same name.
(() => {
  let chosen = "auto";
  try { chosen = JSON.parse(localStorage.getItem("adminTheme")) || "auto"; } catch { /* private mode: as the system */ }
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const apply = () => {
    document.documentElement.classList.toggle("dark", chosen === "dark" || (chosen === "auto" && dark.matches));
    for (const button of document.querySelectorAll("[data-theme]")) {
      button.setAttribute("aria-pressed", String(button.dataset.theme === chosen));
    }
  };
  apply();
  dark.addEventListener("change", apply);
  addEventListener("DOMContentLoaded", apply);
  addEventListener("click", (event) => {
    const button = event.target.closest?.("[data-theme]");
    if (!button) return;
    chosen = button.dataset.theme;
    try { localStorage.setItem("adminTheme", JSON.stringify(chosen)); } catch { /* kept for this page only */ }
    apply();
  });
})();
