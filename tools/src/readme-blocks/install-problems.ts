import { checkInstalls, type Installable } from "./check-installs.ts";
import type { Block } from "./extract-blocks.ts";
import { type Manifest, packagesOf } from "./manifests.ts";

/** Returns missing installations in guides and READMEs of published packages; other documents describe work in a clone of the repository. */
export const installProblems = (
  root: string,
  texts: ReadonlyMap<string, string>,
  blocks: readonly Block[],
): string[] => {
  const packages = packagesOf(root);
  const unpublished = packages
    .filter((each) => each.private === true)
    .map(({ folder }) => `${folder}/README.md`);
  return [...texts]
    .filter(([document]) => /^(README\.md|docs\/|packages\/)/.test(document))
    .filter(([document]) => !unpublished.includes(document))
    .flatMap(([document, text]) => {
      const [folder] = /^packages\/[^/]+(?=\/docs\/)/.exec(document) ?? [];
      const readme = texts.get(`${folder}/README.md`);
      const own = blocks.filter((block) => block.document === document);
      return checkInstalls({ document, text, blocks: own, readme }, packages.map(installable));
    });
};

const installable = ({
  name,
  bin = {},
  peerDependencies = {},
  peerDependenciesMeta = {},
}: Manifest): Installable => ({
  name,
  bins: Object.keys(bin),
  peers: Object.keys(peerDependencies).filter((peer) => peerDependenciesMeta[peer]?.optional !== true),
});
