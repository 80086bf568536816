// The page Chat: new messages over a WebSocket, the place kept while older ones come in above, what was read, Ctrl+Enter.
import { kinds, renew, stayConnected } from "../tertulia/pages.js";
import "./names.js";

const list = document.getElementById("messages");
const lines = document.getElementById("message-list");
const below = document.getElementById("below");
const topics = document.getElementById("topics");
const standing = "standing" in list.dataset;
let latest = Number(list.dataset.latest);

const atEnd = () => list.scrollHeight - list.scrollTop - list.clientHeight < 80;
const toEnd = () => { list.scrollTop = list.scrollHeight; below.hidden = true; };
const show = (line) => { list.scrollTop += line.getBoundingClientRect().top - list.getBoundingClientRect().top - list.clientHeight / 4; };

const sought = list.querySelector(".hub-marked") ?? list.querySelector(".hub-new");
if (sought) show(sought);
else toEnd();
below.querySelector("button").addEventListener("click", () => { toEnd(); list.focus(); });
list.addEventListener("scroll", () => { if (atEnd()) { below.hidden = true; noteRead(); } });

// What is shown down to its end counts as read; told at most every two seconds.
const REST = 2000;
let resting = false;
async function noteRead() {
  if (standing || resting || document.hidden || !list.dataset.read || !atEnd()) return;
  const read = new Map();
  const unread = [...lines.querySelectorAll("[data-unread]")];
  for (const line of unread) read.set(line.dataset.topic, Math.max(read.get(line.dataset.topic) ?? 0, Number(line.dataset.seq)));
  if (!read.size) return;
  resting = true;
  setTimeout(() => { resting = false; noteRead(); }, REST);
  const form = new URLSearchParams([...read].map(([topic, seq]) => ["read", `${topic} ${seq}`]));
  const headers = JSON.parse(document.body.getAttribute("hx-headers"));
  const answer = await fetch(list.dataset.read, { method: "POST", body: form, headers, redirect: "manual" });
  if (answer.status === 204) for (const line of unread) line.removeAttribute("data-unread");
}
document.addEventListener("visibilitychange", noteRead);

function redrawTopics(text) {
  const folded = document.getElementById("archived")?.open;
  const held = topics.contains(document.activeElement) ? document.activeElement.id : "";
  topics.innerHTML = text;
  const archived = document.getElementById("archived");
  if (archived && folded !== undefined) archived.open = folded;
  if (held) document.getElementById(held)?.focus();
  document.getElementById("all-read").hidden = !topics.querySelector(".hub-badge");
}

function redraw(prefix, texts) {
  for (const [seq, text] of Object.entries(texts ?? {})) {
    const part = document.getElementById(prefix + seq);
    if (part) part.innerHTML = text;
  }
}

function append(text) {
  const fresh = document.createElement("template");
  fresh.innerHTML = text;
  for (const message of fresh.content.querySelectorAll("[data-seq]")) if (document.getElementById(message.id)) message.remove();
  if (!fresh.content.querySelector("[data-seq]")) return;
  const follow = atEnd();
  document.getElementById("nothing")?.remove();
  for (const message of [...fresh.content.children]) { lines.append(message); htmx.process(message); }
  if (follow) toEnd(); else below.hidden = false;
}

if (!standing) {
  stayConnected(() => {
    const address = new URL(`/ws/chat/?${list.dataset.place}`, location.href);
    address.searchParams.set("after", latest);
    address.searchParams.set("also", [...kinds()].join(" "));
    return address.href;
  }, {
    heard(news) {
      if (news.changed !== undefined) renew(news.changed);
      if (news.messages === undefined) return;
      append(news.messages);
      latest = Math.max(latest, news.last_seq);
      document.querySelector("#all-read [name=all]").value = latest;
      redraw("t-", news.threads);
      redraw("r-", news.receipts);
      if (news.topics !== undefined) redrawTopics(news.topics);
      if (news.badge !== undefined) document.getElementById("badge").innerHTML = news.badge;
      noteRead();
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
