import { spawn, spawnSync } from "node:child_process";

/** The attacking program. */
const PROGRAM = "slowhttptest";

/** Returns whether slowhttptest is installed. */
export const hasSlowhttptest = (): boolean => spawnSync(PROGRAM, ["-h"]).error === undefined;

/** Result of a run of slowhttptest. */
export interface AttackReport {
  /** Number of availability checks, and of failed ones. */
  readonly checks: number;
  readonly unavailable: number;
  readonly exit: string;
}

/** Runs slowhttptest against a URL until its time has elapsed or all its connections are closed. */
export const attack = (url: string, options: readonly string[]): Promise<AttackReport> =>
  new Promise((resolve, reject) => {
    const child = spawn(PROGRAM, [...options, "-u", url, "-v", "1"], { stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (output += String(text)));
    child.on("error", reject);
    child.on("close", () => resolve(parseReport(withoutColours(output))));
  });

// oxlint-disable-next-line no-control-regex -- colours are control characters
const withoutColours = (text: string): string => text.replaceAll(/\u001b\[[0-9;]*[A-Za-z]/g, "");

const parseReport = (output: string): AttackReport => ({
  checks: [...output.matchAll(/service available:\s*(YES|NO)/g)].length,
  unavailable: [...output.matchAll(/service available:\s*NO/g)].length,
  exit: /Exit status:\s*(.*)/.exec(output)?.[1]?.trim() ?? output.slice(-200),
});
