// What every page of ours does: the menu on narrow screens, and parts that renew themselves when the hub says something changed.
const sidebar = document.getElementById("nav-sidebar");

function turnMenu(open) {
  sidebar.classList.toggle("hub-open", open);
  for (const button of document.querySelectorAll("[data-menu][aria-expanded]")) button.setAttribute("aria-expanded", String(open));
  if (open) sidebar.querySelector("a, button").focus();
}

document.addEventListener("click", (event) => {
  if (event.target.closest("[data-menu]")) turnMenu(!sidebar.classList.contains("hub-open"));
  for (const menu of document.querySelectorAll("details.hub-you[open]")) if (!menu.contains(event.target)) menu.open = false;
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  for (const menu of document.querySelectorAll("details.hub-you[open]")) { menu.open = false; menu.querySelector("summary").focus(); }
  if (sidebar.classList.contains("hub-open")) { turnMenu(false); document.querySelector("header [data-menu]").focus(); }
});

// Signed out: the page says where to sign in. Too far behind: it is drawn anew.
const RELOADING = [4401, 4408];

/** A WebSocket that comes back by itself, sooner or later; `address()` is asked each time, `heard` takes each message. */
export function stayConnected(address, { heard }) {
  const sign = document.getElementById("live");
  let failures = 0;
  let timer = null;
  function connect() {
    const socket = new WebSocket(address().replace(/^http/, "ws"));
    socket.addEventListener("open", () => {
      clearTimeout(timer);
      sign.hidden = true;
      document.documentElement.dataset.live = "on";
    });
    socket.addEventListener("message", (event) => {
      failures = 0; // not when it opens: the hub opens before it refuses, and a page must not come back at once for ever
      heard(JSON.parse(event.data));
    });
    socket.addEventListener("close", (event) => {
      delete document.documentElement.dataset.live;
      if (RELOADING.includes(event.code)) { location.reload(); return; }
      timer = setTimeout(() => { sign.hidden = false; }, 2000);
      setTimeout(connect, Math.random() * Math.min(30000, 500 * 2 ** failures++));
    });
  }
  connect();
}

// <div data-live="chat audit" hx-get="…" hx-trigger="renew">: htmx fetches the part anew when one of these changed.
const parts = () => document.querySelectorAll("[data-live]");

/** The words that parts of the page renew themselves by. */
export function kinds() {
  return new Set([...parts()].flatMap((part) => part.dataset.live.split(" ")));
}

/** Fetch the parts anew that one of these words concerns, but for one in which somebody is writing. */
export function renew(changed) {
  for (const part of parts()) {
    if (part.contains(document.activeElement) && document.activeElement.matches("input, textarea, select")) continue;
    if (changed.some((kind) => part.dataset.live.split(" ").includes(kind))) htmx.trigger(part, "renew");
  }
}

// What somebody unfolded stays so when its part is fetched anew: <details id="…" data-keep>.
let unfolded = [];
document.body.addEventListener("htmx:beforeSwap", () => {
  unfolded = [...document.querySelectorAll("details[data-keep][open]")].map((each) => each.id);
});
document.body.addEventListener("htmx:afterSwap", () => {
  for (const id of unfolded) document.getElementById(id)?.setAttribute("open", "");
});

// A page with a line of its own to the hub ([data-own-line]) hears of them there.
if (document.querySelector("[data-live]") && !document.querySelector("[data-own-line]")) {
  stayConnected(() => new URL("/ws/live/", location.href).href, { heard(news) { renew(news.changed); } });
}
