import { readdirSync, readFileSync } from "node:fs";

/** Reads the processor time of a process, its threads and its children in microseconds (Linux only). */
export const processorMicros = (pid: number): number => {
  let micros = 0;
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const folder = `/proc/${pid}/task/${thread}`;
    micros += Number(readFileSync(`${folder}/schedstat`, "latin1").split(" ")[0]) / 1000;
    const children = readFileSync(`${folder}/children`, "latin1").split(" ").filter(Boolean);
    for (const child of children) micros += processorMicros(Number(child));
  }
  return micros;
};
