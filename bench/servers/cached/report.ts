import { hash } from "node:crypto";

/** Seconds for which a cache may serve a reply. */
export const FRESH_SECS = 3600;

const LINES = 10;

/** Hashes per line; a report takes some milliseconds. */
const WORK = 200;

const lineOf = (line: number): string => {
  let text = `line ${line}`;
  for (let round = 0; round < WORK; round++) text = hash("sha256", text, "hex");
  return text;
};

/** Creates an expensive object. @param made number of reports that this process has created: 1 in every cached reply */
const reportOf = (made: number): object => ({
  made,
  lines: Array.from({ length: LINES }, (_, line) => lineOf(line)),
});

/** Returns the body of a report. */
export const reportText = (made: number): string => JSON.stringify(reportOf(made));

let made = 0;

/** The expensive handler. */
export const report = (): object => reportOf(++made);
