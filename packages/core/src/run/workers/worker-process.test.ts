import { afterAll, expect, test } from "@jest/globals";
import { startService } from "../testing/service-program.ts";
import { endPrograms } from "../testing/start-program.ts";
import { forkProgram } from "./worker-process.ts";

afterAll(endPrograms);

const brief = {
  primary: 1,
  service: 0,
  url: "http://127.0.0.1:1",
  host: "127.0.0.1",
  port: 1,
  listeners: [],
  workers: 1,
  accepts: false,
};

test("if the system cannot start the workers, the service tries again, gives up and reports the cause", async () => {
  const program = startService({ cannotFork: true, run: { workers: 2, cluster: { maxRestarts: 2 } } });
  program.listening.catch(() => {});
  expect((await program.exit).code).toBe(1);
  expect(program.stderr().match(/a worker ended before it was ready/g)?.length).toBeGreaterThanOrEqual(2);
  expect(program.stderr()).toMatch(/CORE_CRASH_LOOP.+ENOENT/);
});

test("a worker whose fork throws counts as exited", async () => {
  const noDescriptor = 1_000_000;
  const exited = Promise.withResolvers<string>();
  const worker = forkProgram("program.js", brief, [noDescriptor])({
    message: () => {},
    exited: exited.resolve,
  });
  worker.send({ "@framework": "renew-tls" });
  worker.kill();
  const takeError = new Promise((resolve) => {
    worker.take(1, { socket: {} as never, listener: undefined }, resolve);
  });
  expect(await exited.promise).toMatch(/EBADF/);
  expect(await takeError).toBeInstanceOf(Error);
});
