import { checkPackage, createPackageFromTarballData, type Problem } from "@arethetypeswrong/core";
import { publint } from "publint";
import { formatMessage } from "publint/utils";

/** Resolution modes that cannot load a package of ES modules: `moduleResolution` node10, and `require` of node16. */
const ignored: readonly string[] = ["node10", "node16-cjs"];

/**
 * Checks whether users can load a packed package: publint reads its manifest and files, and Are The Types Wrong resolves the types of each
 * entry as node16 and bundlers do. Both are loaded once for all packages.
 */
export const checkTarball = async (tarball: Uint8Array<ArrayBuffer>): Promise<string[]> => {
  const { messages, pkg } = await publint({ pack: { tarball: tarball.buffer } });
  const analysis = await checkPackage(createPackageFromTarballData(tarball));
  return [
    ...messages.map((message) => `${message.type}: ${formatMessage(message, pkg, { color: false })}`),
    ...(analysis.types === false ? ["error: it has no types"] : analysis.problems.filter(isOurs).map(asText)),
  ];
};

const isOurs = (problem: Problem): boolean =>
  !("resolutionKind" in problem && ignored.includes(problem.resolutionKind));

/** Returns the kind of the problem and its text fields, such as the entry or the file. */
const asText = ({ kind, ...fields }: Problem): string => {
  const facts = Object.entries(fields).filter(([, value]) => typeof value === "string");
  return `error: ${[kind, ...facts.map(([name, value]) => `${name} ${value}`)].join(", ")}`;
};
