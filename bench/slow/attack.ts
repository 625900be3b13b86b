import { spawn, spawnSync } from "node:child_process";

/** The attacking program. */
const PROGRAM = "slowhttptest";

/** Whether it is installed. */
export const hasSlowhttptest = (): boolean => spawnSync(PROGRAM, ["-h"]).error === undefined;

/** Result of a run of slowhttptest. */
export interface Verdict {
  /** Availability checks, and failed ones. */
  readonly looks: number;
  readonly unavailable: number;
  readonly exit: string;
}

/** Runs slowhttptest against a URL until it ends by itself: its time is over or all its connections are closed. */
export const attack = (url: string, options: readonly string[]): Promise<Verdict> =>
  new Promise((resolve, reject) => {
    const child = spawn(PROGRAM, [...options, "-u", url, "-v", "1"], { stdio: ["ignore", "pipe", "pipe"] });
    let said = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (said += String(text)));
    child.on("error", reject);
    child.on("close", () => resolve(verdictOf(withoutColours(said))));
  });

// oxlint-disable-next-line no-control-regex -- colours are control characters
const withoutColours = (text: string): string => text.replaceAll(/\u001b\[[0-9;]*[A-Za-z]/g, "");

const verdictOf = (said: string): Verdict => ({
  looks: [...said.matchAll(/service available:\s*(YES|NO)/g)].length,
  unavailable: [...said.matchAll(/service available:\s*NO/g)].length,
  exit: /Exit status:\s*(.*)/.exec(said)?.[1]?.trim() ?? said.slice(-200),
});
