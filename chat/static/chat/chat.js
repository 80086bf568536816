// The page Chat: new messages over a WebSocket, the place kept while older ones come in above, Ctrl+Enter.
import { stayConnected } from "../tertulia/pages.js";

const list = document.getElementById("messages");
const lines = document.getElementById("message-list");
const below = document.getElementById("below");
const standing = "standing" in list.dataset;
let latest = Number(list.dataset.latest);

const atEnd = () => list.scrollHeight - list.scrollTop - list.clientHeight < 80;
const toEnd = () => { list.scrollTop = list.scrollHeight; below.hidden = true; };

const marked = list.querySelector(".hub-marked");
if (marked) list.scrollTop += marked.getBoundingClientRect().top - list.getBoundingClientRect().top - list.clientHeight / 4;
else toEnd();
below.querySelector("button").addEventListener("click", () => { toEnd(); list.focus(); });
list.addEventListener("scroll", () => { if (atEnd()) below.hidden = true; });

if (!standing) {
  stayConnected(() => {
    const address = new URL("/ws/chat/", location.href);
    address.searchParams.set("after", latest);
    if (list.dataset.topic) address.searchParams.set("topic", list.dataset.topic);
    return address.href;
  }, {
    heard(news) {
      if (news.topics) document.getElementById("topics").innerHTML = news.topics;
      const fresh = document.createElement("template");
      fresh.innerHTML = news.messages;
      for (const message of [...fresh.content.querySelectorAll("[data-seq]")]) {
        if (document.getElementById(message.id)) message.remove();
      }
      latest = Math.max(latest, news.last_seq);
      if (!fresh.content.querySelector("[data-seq]")) return;
      const follow = atEnd();
      document.getElementById("nothing")?.remove();
      for (const message of [...fresh.content.children]) { lines.append(message); htmx.process(message); }
      if (follow) toEnd(); else below.hidden = false;
    },
  });
}

// Older messages come in above what is read: keep that where it is.
let before = null;
document.body.addEventListener("htmx:beforeSwap", (event) => {
  if (event.detail.target.classList.contains("hub-older")) before = list.scrollHeight - list.scrollTop;
});
document.body.addEventListener("htmx:afterSettle", () => {
  if (before !== null) { list.scrollTop = list.scrollHeight - before; before = null; }
  const form = document.querySelector("#compose[data-focus]");
  if (form) { form.removeAttribute("data-focus"); form.querySelector("textarea").focus(); }
});

document.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && event.target.matches("#compose textarea")) {
    event.preventDefault();
    event.target.form.requestSubmit();
  }
});

if (matchMedia("(max-width: 63.99rem)").matches) document.querySelector("[data-fold]").open = false;
