import { stripVTControlCharacters } from "node:util";

/** A URL of this machine, without its path; `localhost.example.com` does not match. */
const LOCAL_URL =
  /https?:\/\/(?:localhost|127(?:\.\d{1,3}){3}|0\.0\.0\.0|\[::1?\])(?::\d{1,5})?(?![\w.-]*\w)/i;

/**
 * The URL that a line announces: `url` of the framework's `{"event":"listening"}` line, or the first URL of this machine in a line that is not
 * JSON; otherwise `null`.
 */
export const listeningUrl = (line: string): string | null => {
  if (line.trimStart().startsWith("{")) return urlOfEvent(line);
  const [found] = LOCAL_URL.exec(stripVTControlCharacters(line)) ?? []; // with FORCE_COLOR, programs print the port in another style
  return found === undefined ? null : reachable(found);
};

const urlOfEvent = (line: string): string | null => {
  try {
    const { event, url } = JSON.parse(line) as { event?: unknown; url?: unknown };
    return event === "listening" && typeof url === "string" && URL.canParse(url) ? url : null;
  } catch {
    return null; // the line is not JSON
  }
};

/** Clients cannot connect to the unspecified address; the program also listens on loopback. */
const reachable = (text: string): string | null => {
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  if (url.hostname === "0.0.0.0") url.hostname = "127.0.0.1";
  if (url.hostname === "[::]") url.hostname = "[::1]";
  return url.origin;
};
