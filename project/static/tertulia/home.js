// Beside each line to copy a button that says when it has; without this script the line is selected whole by a click.
const pattern = document.getElementById("copy-button");
const said = document.getElementById("copied");

async function copy(code) {
  try {
    await navigator.clipboard.writeText(code.textContent);
  } catch { // plain http on another machine: browsers keep the clipboard from such pages, but not from a selection
    const range = document.createRange();
    range.selectNodeContents(code);
    getSelection().removeAllRanges();
    getSelection().addRange(range);
    return document.execCommand("copy");
  }
  return true;
}

for (const line of document.querySelectorAll("[data-copy]")) {
  const code = line.querySelector("code");
  const button = pattern.content.cloneNode(true).querySelector("button");
  const words = button.querySelector("[data-says]");
  const before = words.textContent;
  let timer = null;
  code.id ||= `copy-${Math.random().toString(36).slice(2)}`;
  button.setAttribute("aria-describedby", code.id);
  button.addEventListener("click", async () => {
    if (!await copy(code)) return;
    words.textContent = said.textContent = button.dataset.done;
    button.classList.add("hub-copied");
    clearTimeout(timer);
    timer = setTimeout(() => { words.textContent = before; said.textContent = ""; button.classList.remove("hub-copied"); }, 2500);
  });
  line.append(button);
  line.classList.add("hub-can-copy");
}
