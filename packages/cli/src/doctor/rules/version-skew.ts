import { satisfies } from "./version-range.ts";
import type { DoctorRule } from "./facts.ts";

/** Reports packages whose peer range excludes the installed version of the peer. */
export const versionSkew: DoctorRule = ({ packages }) => {
  const versions = new Map(packages.map(({ name, version }) => [name, version]));
  return packages.flatMap(({ name, version, manifest }) =>
    Object.entries(manifest.peerDependencies ?? {}).flatMap(([peer, range]) => {
      const installed = versions.get(peer);
      if (installed === undefined || satisfies(installed, range)) return [];
      const message = `${name} ${version} needs ${peer} ${range}, and ${installed} is installed; update ${peer} or ${name}`;
      return [{ code: "CLI_VERSION_SKEW", message }];
    }),
  );
};
