import { FrameworkError } from "@framework/core";
import { nearest } from "@framework/core/feature";
import type { Outcome, RunCommand } from "../frame/command.ts";
import { table } from "../frame/table.ts";
import { type Line, styled } from "../frame/text.ts";
import { errorPage } from "./error-page.ts";
import { type CataloguedCode, findCode, readCatalogues } from "./catalogues.ts";
import { installedPackages, projectWithCodes } from "./installed-packages.ts";
import { mentionsOf } from "./mentions.ts";

/** Explains an error code of an installed package or of the project; without a code it lists all. */
export const explainCode: RunCommand = async (given, { cwd }) => {
  const packages = [...projectWithCodes(cwd), ...installedPackages(cwd)];
  const code = given.argument("subject")?.toUpperCase();
  if (code === undefined) return list((await readCatalogues(packages)).codes);
  const { found, known, unreadable } = await findCode(packages, code);
  if (found !== null) return page(found);
  const [near] = nearest(code, known, 1);
  const hint = near === undefined ? "framework explain lists all codes" : `did you mean ${near}?`;
  const notRead = unreadable.length === 0 ? "" : ` (not readable: ${unreadable.join(", ")})`;
  throw new FrameworkError(
    "CLI_UNKNOWN_CODE",
    `neither an installed package nor the project has the code ${code}; ${hint}${notRead}`,
  );
};

const list = (codes: readonly CataloguedCode[]): Outcome => ({
  ok: true,
  data: { codes: codes.map(({ code, package: { name }, entry }) => ({ code, package: name, ...entry })) },
  lines: [
    ...table(
      ["CODE", "CAUSE"],
      codes.map(({ code, entry }) => [styled("bold", code), entry.summary]),
    ),
    "",
    styled("dim", `${codes.length} codes; framework explain CODE shows the remedy`),
  ],
});

/** Returns the page of one code: its entry in the catalogue, and the passages about it in the package's documents. */
const page = ({ code, package: pkg, entry }: CataloguedCode): Outcome => {
  const mentions = mentionsOf(code, pkg.folder);
  const { status, summary, action } = entry;
  const address = errorPage(code, pkg);
  const facts: readonly (readonly [string, string])[] = [
    ["Package", pkg.name],
    ...(status === undefined ? [] : [["Status", String(status)] as const]),
    ["Cause", summary],
    ["Remedy", action],
    ...(address === undefined ? [] : [["Page", address] as const]),
  ];
  return {
    ok: true,
    data: {
      code,
      package: pkg.name,
      ...entry,
      ...(address !== undefined && { page: address }),
      documents: mentions,
    },
    lines: [
      styled("bold", code),
      "",
      ...table(
        [],
        facts.map(([name, text]) => [styled("dim", name), text]),
      ),
      ...mentions.flatMap(({ path, heading, text }): readonly Line[] => [
        "",
        [styled("dim", `${path} · `), styled("cyan", heading)],
        ...text.split("\n"),
      ]),
    ],
  };
};
