// Journals go to the hub in pieces of whole lines, one after the other, so that the bar says what is really stored.
const form = document.getElementById("import");
const input = form.querySelector("input[type=file]");
const said = document.getElementById("import-said");
const progress = document.getElementById("progress");
const bar = document.getElementById("progress-bar");
const outcome = document.getElementById("outcome");
const skipped = document.getElementById("skipped");
const NEWLINE = 10;
const SHOWN = 200;
const TRIES = 5;
const pieceBytes = Number(form.dataset.pieceBytes);
input.multiple = true;

// channels.jsonl.2 before channels.jsonl.1 before channels.jsonl
const rotation = (file) => Number(/\.(\d+)$/.exec(file.name)?.[1] ?? 0);

function lines(bytes) {
  let count = 0;
  for (const byte of bytes) if (byte === NEWLINE) count++;
  return count;
}

function count(name, more) {
  const place = outcome.querySelector(`[data-count="${name}"]`);
  place.textContent = Number(place.textContent) + more;
}

function tell(file, line, why) {
  if (skipped.children.length >= SHOWN) return;
  const item = document.getElementById("skipped-line").content.cloneNode(true);
  item.querySelector("[data-file]").textContent = file.name;
  item.querySelector("[data-line]").textContent = line;
  item.querySelector("[data-why]").textContent = why;
  skipped.append(item);
}

async function send(file, piece) {
  const body = new FormData();
  body.append("journal", new File([piece], file.name));
  const headers = JSON.parse(document.body.getAttribute("hx-headers"));
  for (let again = 1; ; again++) {
    const answer = await fetch(form.dataset.piece, { method: "POST", body, headers, redirect: "manual" }).catch(() => null);
    if (answer?.ok) return answer.json();
    const told = await answer?.json().catch(() => null);
    if (again === TRIES || (answer && answer.status !== 503)) throw new Error(told?.detail ?? said.dataset.failed);
    await new Promise((goOn) => { setTimeout(goOn, 1000 * again); });
  }
}

/** Pieces of a file that end with a line, each with the number of its first line; a line longer than a piece comes as null. */
async function* pieces(file) {
  let from = 0;
  let line = 1;
  while (from < file.size) {
    const bytes = new Uint8Array(await file.slice(from, from + pieceBytes).arrayBuffer());
    const isLast = from + bytes.length >= file.size;
    const end = isLast ? bytes.length : bytes.lastIndexOf(NEWLINE) + 1;
    if (end > 0) {
      yield { piece: bytes.subarray(0, end), line, upTo: from + end };
      from += end;
      line += lines(bytes.subarray(0, end));
    } else {
      from = await endOfLine(file, from + bytes.length);
      yield { piece: null, line, upTo: from };
      line++;
    }
  }
}

async function endOfLine(file, from) {
  for (let at = from; at < file.size; at += pieceBytes) {
    const place = new Uint8Array(await file.slice(at, at + pieceBytes).arrayBuffer()).indexOf(NEWLINE);
    if (place >= 0) return at + place + 1;
  }
  return file.size;
}

function show(file, done, whole) {
  const share = whole ? done / whole : 1;
  bar.value = share;
  progress.querySelector("[data-file]").textContent = file.name;
  progress.querySelector("[data-percent]").textContent = new Intl.NumberFormat(document.documentElement.lang, { style: "percent" }).format(share);
}

async function bringIn(files) {
  const whole = files.reduce((sum, file) => sum + file.size, 0);
  let before = 0;
  for (const file of files) {
    show(file, before, whole);
    for await (const { piece, line, upTo } of pieces(file)) {
      if (piece === null) {
        count("left_out", 1);
        tell(file, line, skipped.dataset.long);
      } else {
        const told = await send(file, piece);
        for (const name of ["stored", "known", "trimmed", "left_out"]) count(name, told[name]);
        for (const [place, why] of told.skipped) tell(file, line + place - 1, why);
      }
      show(file, before + upTo, whole);
    }
    before += file.size;
  }
}

form.addEventListener("submit", async (event) => {
  if (!input.files.length) return;
  event.preventDefault();
  const button = form.querySelector("button");
  button.disabled = true;
  for (const place of outcome.querySelectorAll("[data-count]")) place.textContent = "0";
  skipped.replaceChildren();
  progress.hidden = outcome.hidden = false;
  said.textContent = said.dataset.running;
  try {
    await bringIn([...input.files].sort((one, other) => rotation(other) - rotation(one)));
    said.textContent = said.dataset.done;
  } catch (error) {
    said.textContent = error.message;
  }
  button.disabled = false;
});
