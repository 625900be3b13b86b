import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "@jest/globals";
import { runProtoCommand } from "./proto-command.ts";

const run = async (...args: string[]) => {
  const lines: string[] = [];
  const errors: string[] = [];
  const code = await runProtoCommand(args, {
    out: (line) => lines.push(line),
    err: (line) => errors.push(line),
  });
  return { code, lines: lines.join("\n"), errors: errors.join("\n") };
};

const home = fileURLToPath(new URL("../../", import.meta.url));

/** Creates a folder whose modules can import zod. It is outside the package, so a concurrent compiler does not include them. */
const folder = (): string => {
  const at = mkdtempSync(join(tmpdir(), "framework-proto-"));
  symlinkSync(join(home, "node_modules"), join(at, "node_modules"));
  return at;
};

const moduleIn = (at: string, fields: string): string => {
  const file = join(at, `service-${fields.length}.ts`);
  writeFileSync(
    file,
    `import { z } from "zod";
import { grpcService } from ${JSON.stringify(join(home, "src/index.ts"))};
export const service = grpcService("a.v1.Service", {
  proto: new URL("./service.proto", import.meta.url),
  methods: { Do: { request: z.object({ ${fields} }), response: z.object({}) } },
});
`,
  );
  return file;
};

test("the command writes the .proto file, keeps its numbers at the next run, and --check compares it", async () => {
  const at = folder();
  try {
    const one = moduleIn(at, "a: z.string()");
    expect(await run(one, "--check")).toMatchObject({
      code: 1,
      errors: expect.stringContaining("out of date"),
    });
    expect(await run(one)).toMatchObject({ code: 0, lines: expect.stringContaining("written") });
    expect(await run(one, "--check")).toMatchObject({ code: 0 });
    expect(await run(moduleIn(at, "b: z.string(), a: z.string()"))).toMatchObject({ code: 0 });
    const text = readFileSync(join(at, "service.proto"), "utf8");
    expect(text).toContain("string a = 1;");
    expect(text).toContain("string b = 2;");
  } finally {
    rmSync(at, { recursive: true });
  }
});

test("two services with the same .proto are refused, and the file is not written; a service exported twice is written once", async () => {
  const at = folder();
  try {
    const file = moduleIn(at, "a: z.string()");
    const exported = readFileSync(file, "utf8");
    writeFileSync(file, `${exported}export default service;\n`);
    const once = await run(file);
    expect([once.code, once.lines.split("\n").length]).toEqual([0, 1]);
    rmSync(join(at, "service.proto"));
    const two = join(at, "two.ts");
    writeFileSync(two, `${exported}export const other = { ...service, name: "a.v1.Other" };\n`);
    expect(await run(two)).toMatchObject({
      code: 1,
      errors: expect.stringMatching(/a\.v1\.Other and a\.v1\.Service have the same proto .*service\.proto/),
    });
    expect(existsSync(join(at, "service.proto"))).toBe(false);
  } finally {
    rmSync(at, { recursive: true });
  }
});

test("a module without services fails, a missing argument fails with the usage, and --help succeeds", async () => {
  expect(await run(fileURLToPath(new URL("../index.ts", import.meta.url)))).toMatchObject({ code: 1 });
  expect(await run()).toMatchObject({
    code: 1,
    errors: expect.stringContaining("usage: framework-grpc"),
  });
  expect(await run("--help")).toMatchObject({ code: 0 });
});
