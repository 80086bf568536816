// Tells Pi, where `tertulia launch` started it, of unread chat mentions, and gives it the chat's tools. Written by
// `tertulia hooks install pi`, removed by `tertulia hooks uninstall pi`; a change here is overwritten.
import { existsSync, lstatSync } from "node:fs";
import { createConnection } from "node:net";

const LIMIT_MS = 500;
const MOST_CHARACTERS = 16384;
const BRIDGE = __BRIDGE__;

/** Whether the folder is this user's own: nobody else may hear of events, or answer them. */
function isOwn(folder) {
  return lstatSync(folder, { throwIfNoEntry: false })?.uid === process.getuid();
}

/** What the launcher says to an event, and nothing when it is not granted, away, slow or strange. */
function asked(folder, event) {
  if (!isOwn(folder) || !existsSync(`${folder}/granted`)) return Promise.resolve("");
  return new Promise((resolve) => {
    let answer = "";
    const link = createConnection(`${folder}/socket`);
    const end = (text) => {
      clearTimeout(limit);
      link.destroy();
      resolve(text);
    };
    const limit = setTimeout(() => end(""), LIMIT_MS);
    link.setEncoding("utf8");
    link.on("error", () => end(""));
    link.on("data", (part) => {
      answer += part;
      if (answer.length > MOST_CHARACTERS) end("");
    });
    link.on("end", () => end(answer.trim()));
    link.end(`hook pi ${event}\n{}`);
  });
}

export default function (pi) {
  const { TERTULIA_LAUNCH_ID, TERTULIA_LAUNCH_DIR } = process.env;
  if (!TERTULIA_LAUNCH_ID || !TERTULIA_LAUNCH_DIR) return;
  const message = (content) => ({ customType: "tertulia", content, display: true });

  pi.on("before_agent_start", async () => {
    const text = await asked(TERTULIA_LAUNCH_DIR, "before_agent_start");
    return text ? { message: message(text) } : undefined;
  });
  pi.on("tool_execution_end", async () => {
    const text = await asked(TERTULIA_LAUNCH_DIR, "tool_execution_end");
    if (text) pi.sendMessage(message(text), { deliverAs: "steer" });
  });
  pi.on("agent_settled", async () => {
    await asked(TERTULIA_LAUNCH_DIR, "agent_settled");
  });
  if (typeof pi.registerMcpServer === "function") {
    const env = { TERTULIA_LAUNCH_ID, TERTULIA_LAUNCH_DIR };
    pi.registerMcpServer("tertulia", { ...BRIDGE, env, exposure: "direct" });
  }
}
