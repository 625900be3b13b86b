import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect, test } from "@jest/globals";

const moduleOf = (file: string): string => JSON.stringify(new URL(file, import.meta.url).href);

const openAll = `
  import { closeSync, openSync } from "node:fs";
  const taken = [];
  const openAll = () => {
    try {
      for (;;) taken.push(openSync("/dev/null"));
    } catch {}
  };
`;

/** Starts a program that can open 64 files. */
const withFewDescriptors = (program: string) =>
  spawn(
    "/bin/sh",
    [
      "-c",
      'ulimit -n 64 && exec "$0" --disable-warning=ExperimentalWarning --input-type=module -e "$1"',
      process.execPath,
      openAll + program,
    ],
    { stdio: ["ignore", "pipe", "pipe"] },
  );

const firstMatch = async (child: ChildProcess, pattern: RegExp): Promise<string> => {
  let seen = "";
  const { promise, resolve } = Promise.withResolvers<string>();
  for (const stream of [child.stdout, child.stderr])
    stream?.on("data", (chunk: Buffer) => {
      seen += chunk.toString();
      const [found] = pattern.exec(seen) ?? [];
      if (found !== undefined) resolve(found);
    });
  child.once("close", () => resolve(`ended without it: ${seen}`));
  return await promise;
};

test("a service without a free file descriptor logs an error", async () => {
  const child = withFewDescriptors(`
    import { App } from ${moduleOf("../../index.ts")};
    await new App().run({ port: 0, argv: [], workers: 1 });
    openAll();
  `);
  expect(await firstMatch(child, /no file descriptor is free/)).toBe("no file descriptor is free");
  child.kill("SIGKILL");
  await once(child, "close");
});

test("the line about descriptors is logged at most once a minute, and only while none is free", async () => {
  const child = withFewDescriptors(`
    import { virtualClock } from ${moduleOf("../../testing.ts")};
    import { watchDescriptors } from ${moduleOf("descriptors.ts")};
    const clock = virtualClock();
    let lines = 0;
    const stop = watchDescriptors({ error: () => lines++ }, clock);
    const counts = [];
    const count = async (ms) => {
      lines = 0;
      await clock.advance(ms);
      counts.push(lines);
    };
    await count(60_000);
    openAll();
    await count(59_000);
    await count(60_000);
    for (const fd of taken) closeSync(fd);
    await count(300_000);
    stop();
    console.log(counts.join());
  `);
  expect(await text(child.stdout)).toBe("0,1,1,0\n");
});

test("in a sandbox without access to the null device, hasFreeDescriptor returns true", async () => {
  const source = fileURLToPath(new URL("../../..", import.meta.url));
  const program = `
    const { hasFreeDescriptor } = await import(${moduleOf("descriptors.ts")});
    const { openSync } = await import("node:fs");
    let code = "none";
    try { openSync("/dev/null"); } catch (error) { code = error.code; }
    console.log(code, hasFreeDescriptor());
  `;
  const flags = ["--permission", `--allow-fs-read=${source}`, "--disable-warning=ExperimentalWarning"];
  const child = spawn(process.execPath, [...flags, "--input-type=module", "-e", program], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  expect(await text(child.stdout)).toBe("ERR_ACCESS_DENIED true\n");
});
