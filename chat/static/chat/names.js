// Completion of @names in the message that is written: a list below the text, by arrow keys, Enter, Tab or the mouse.
const BEGUN = /(^|[^\w])@([a-z0-9-]*)$/;
const MOST = 8;
let list = null;
let text = null;

const chosen = () => list?.querySelector("[aria-selected=true]");

function fitting() {
  const begun = text.selectionStart === text.selectionEnd && BEGUN.exec(text.value.slice(0, text.selectionStart));
  if (!begun) return [];
  const names = [...document.getElementById(text.dataset.names).options].map((option) => option.value);
  return names.filter((name) => name.startsWith(begun[2]) && name !== begun[2]).slice(0, MOST);
}

function close() {
  list?.remove();
  list = null;
  for (const name of ["aria-activedescendant", "aria-controls"]) text?.removeAttribute(name);
}

function choose(option) {
  for (const each of list.children) each.setAttribute("aria-selected", String(each === option));
  text.setAttribute("aria-activedescendant", option.id);
}

function open(names) {
  close();
  list = document.createElement("ul");
  list.id = "names";
  list.className = "hub-names";
  list.role = "listbox";
  list.ariaLabel = text.dataset.namesLabel;
  for (const [place, name] of names.entries()) {
    const option = document.createElement("li");
    option.id = `name-${place}`;
    option.role = "option";
    option.textContent = `@${name}`;
    option.addEventListener("mousedown", (event) => { event.preventDefault(); take(option); });
    list.append(option);
  }
  text.after(list);
  text.setAttribute("aria-controls", list.id);
  choose(list.firstElementChild);
}

function take(option) {
  const end = text.selectionStart;
  const begin = text.value.slice(0, end).lastIndexOf("@");
  close();
  text.setRangeText(`${option.textContent} `, begin, end, "end");
}

document.addEventListener("input", (event) => {
  if (!event.target.matches("textarea[data-names]")) return;
  text = event.target;
  const names = fitting();
  if (names.length) open(names); else close();
});

document.addEventListener("keydown", (event) => {
  if (!list || event.target !== text) return;
  const place = [...list.children].indexOf(chosen());
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step) choose(list.children[(place + step + list.children.length) % list.children.length]);
  else if (event.key === "Escape") close();
  else if ((event.key === "Enter" || event.key === "Tab") && !event.ctrlKey && !event.metaKey && !event.shiftKey) take(chosen());
  else return;
  event.preventDefault();
}, true);

document.addEventListener("focusout", (event) => { if (event.target === text) close(); });
