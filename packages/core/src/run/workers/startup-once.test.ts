import { afterEach, expect, test } from "@jest/globals";
import { pidsAt, startService, until } from "../testing/service-program.ts";
import { endPrograms, type Program } from "../testing/start-program.ts";

afterEach(endPrograms);

const pidsIn = (program: Program, line: RegExp): number[] =>
  [...program.stderr().matchAll(line)].map(([, pid]) => Number(pid));
const startedPids = (program: Program) => pidsIn(program, /a worker has started: (\d+)\./g);
const handlerPids = (program: Program) => pidsIn(program, /first worker of the service: (\d+)\./g);

test("a startup handler with `once` runs in one of 3 workers, and not in replacements of killed workers", async () => {
  const program = startService({ run: { workers: 3 } });
  const { url } = await program.listening;
  await until(async () => startedPids(program).length === 3 && handlerPids(program).length > 0);
  const initial = startedPids(program);
  const [first = 0, ...more] = handlerPids(program);
  expect([initial.includes(first), more]).toEqual([true, []]);

  const other = initial.find((pid) => pid !== first) ?? 0;
  for (const [index, victim] of [first, other].entries()) {
    process.kill(victim, "SIGKILL");
    await until(async () => startedPids(program).length === 4 + index);
    const replacement = startedPids(program).at(-1) ?? 0;
    await until(async () => (await pidsAt(url, 6).catch(() => new Set())).has(replacement));
  }
  expect(startedPids(program).length).toBe(5);
  expect(handlerPids(program)).toEqual([first]);
  program.kill();
  expect((await program.exit).code).toBe(0);
});
