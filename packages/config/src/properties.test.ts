import { mkdtempDisposableSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { decimal, envExample, integer, list, readConfig, secret, text } from "./index.ts";
import { parseEnvFile } from "./sources/env-file.ts";
import { problemsOf, read } from "./read-config.test-kit.ts";

test("numbers and lists round-trip", () => {
  const itemLists = fc.array(fc.stringMatching(/^[^\s,]{1,10}$/), { minLength: 1 });
  fc.assert(
    fc.property(
      fc.maxSafeInteger(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      itemLists,
      (whole, real, items) => {
        const bounds = { min: -Number.MAX_VALUE };
        const shape = {
          whole: integer("WHOLE", bounds),
          real: decimal("REAL", bounds),
          items: list("ITEMS"),
        };
        const config = read(shape, { WHOLE: String(whole), REAL: String(real), ITEMS: items.join(" , ") });
        expect(config).toEqual({ whole, real: Number(String(real)), items });
      },
    ),
  );
});

test("no problem ever shows a secret", () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z0-9]{8,30}$/), (value) => {
      const problems = problemsOf({ token: secret("TOKEN", { minLength: 99 }) }, { env: { TOKEN: value } });
      expect(problems).toHaveLength(1);
      expect(problems.join()).not.toContain(value);
    }),
  );
});

test("a file without malformed lines is parsed as by Node, except for indented comments and empty values", () => {
  const words = [
    "A",
    "B=",
    "=",
    '"',
    "'",
    "`",
    "\n",
    "\r\n",
    " ",
    "#",
    "export ",
    "x",
    "\\n",
    "\nC='",
    "\nD=1\n",
  ];
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...words), { maxLength: 20 }), (chosen) => {
      const content = chosen.join("");
      const { values, lines, problems } = parseEnvFile(content);
      const rows = content.split(/\r\n|\n/).length;
      expect(problems.filter(({ line }) => line < 1 || line > rows)).toEqual([]);
      expect([...values.keys()]).toEqual([...lines.keys()]);
      // Node parses an indented comment as a name, and the line after an empty value as the value.
      fc.pre(problems.length === 0 && !/^\s+#|=\s*$/m.test(content));
      expect(Object.fromEntries(values)).toEqual({ ...parseEnv(content.replaceAll("\r\n", "\n")) });
    }),
    { numRuns: 1000, maxSkipsPerRun: 1000 },
  );
});

test("uncommented defaults of the example parse to the defaults", () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "config-"));
  const plain = fc.stringMatching(/^[ -~]{1,20}$/).filter((value) => !/["'`\\]/.test(value));
  fc.assert(
    fc.property(plain, fc.nat(), (value, number) => {
      const shape = {
        text: text("TEXT", { default: value }),
        number: integer("NUMBER", { default: number }),
      };
      writeFileSync(join(folder.path, ".env"), envExample(shape).replaceAll(/^# (?=[A-Z]+=)/gm, ""));
      const config = readConfig(shape, { env: {}, folder: folder.path });
      expect(config).toEqual({ text: value, number });
    }),
  );
});
