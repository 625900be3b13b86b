import { existsSync } from "node:fs";
import { join } from "node:path";
import { FrameworkError } from "@framework/core";
import type { RunCommand } from "../frame/command.ts";
import { type Line, styled } from "../frame/text.ts";
import { gatherFacts } from "./gather-facts.ts";
import { rules } from "./rules/all-rules.ts";

export const examine: RunCommand = async (given, { cwd, environment, progress }) => {
  progress.show(0, "reading the project");
  const facts = await gatherFacts({
    cwd,
    variables: environment,
    program: given.argument("program"),
    frameworkEnv: given.text("env") ?? "production",
    timeoutSecs: given.number("timeout") ?? 60,
  });
  const ignored = new Set(given.texts("ignore"));
  const findings = rules.flatMap((rule) => rule(facts)).filter(({ code }) => !ignored.has(code));
  const { program, packages, workloads } = facts;
  const path = program?.path ?? null;
  const isProject = existsSync(join(cwd, "package.json"));
  if (
    !isProject &&
    path === null &&
    workloads.length === 0 &&
    facts.files.length === 0 &&
    findings.length === 0
  )
    throw new FrameworkError(
      "CLI_NO_PACKAGE",
      `nothing to examine in ${cwd}: no package.json, program, manifest or .env file; run it in the folder of the project`,
    );
  const summary: Line = styled(
    "dim",
    `examined ${path ?? "no program (name it: framework doctor src/main.ts)"}, ${packages.length} packages, ${workloads.length} workloads`,
  );
  return {
    ok: findings.length === 0,
    data: {
      findings,
      program: path,
      packages: packages.length,
      workloads: workloads.map(({ place }) => place),
    },
    lines: [
      summary,
      ...(findings.length === 0
        ? [styled("green", "no findings")]
        : findings.map(({ code, message }): Line => [
            styled("yellow", "! "),
            styled("bold", code),
            ` ${message}`,
          ])),
    ],
  };
};
