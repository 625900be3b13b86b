import { hash } from "node:crypto";

/** Seconds for which a reply may be served again. */
export const FRESH_SECS = 3600;

const LINES = 10;

/** Hashes for each line: some milliseconds for a report. */
const WORK = 200;

const lineOf = (line: number): string => {
  let text = `line ${line}`;
  for (let round = 0; round < WORK; round++) text = hash("sha256", text, "hex");
  return text;
};

/** A dear object. @param made how many of them this process has made: 1 in every reply out of a cache */
const reportOf = (made: number): object => ({
  made,
  lines: Array.from({ length: LINES }, (_, line) => lineOf(line)),
});

/** The body of a report. */
export const reportText = (made: number): string => JSON.stringify(reportOf(made));

let made = 0;

/** The dear handler. */
export const report = (): object => reportOf(++made);
