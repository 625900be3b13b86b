import { compareVersions, satisfies } from "../doctor/rules/version-range.ts";

/** A version that a package may have. */
export interface Candidate {
  readonly version: string;
  readonly peerDependencies: Readonly<Record<string, string>>;
}

/** A package whose version is chosen, or whose fixed version limits the choice for its peers. */
export interface Choosable {
  readonly name: string;
  /** The installed version. */
  readonly current: string;
  /** The versions to choose from, in any order; one for a package with a fixed version. */
  readonly candidates: readonly Candidate[];
}

/** A peer range that excludes a version considered for the peer. */
export interface Conflict {
  /** The package with the range. */
  readonly name: string;
  readonly version: string;
  readonly peer: string;
  readonly range: string;
  /** The excluded version of the peer. */
  readonly found: string;
}

/** The chosen versions, and the ranges that exclude newer ones. */
export interface Choice {
  readonly versions: ReadonlyMap<string, string>;
  readonly conflicts: readonly Conflict[];
}

/**
 * Chooses the newest compatible versions: starts with the newest of each package, and lowers one package by one version while a peer range excludes a
 * version. Nothing is downgraded.
 */
export const chooseVersions = (packages: readonly Choosable[]): Choice => {
  const remaining = new Map(packages.map((each) => [each.name, newestFirst(each)]));
  const candidateOf = (name: string): Candidate | undefined => remaining.get(name)?.[0];
  const conflicts: Conflict[] = [];
  for (;;) {
    const conflict = conflictsOf(packages, candidateOf).find(
      (each) => !conflicts.some((known) => isSame(known, each)),
    );
    if (conflict === undefined) break;
    conflicts.push(conflict);
    const older = toLower(conflict).find((each) => (remaining.get(each)?.length ?? 0) > 1);
    if (older !== undefined) remaining.get(older)?.shift(); // otherwise the conflict exists already, and doctor reports it
  }
  const versions = packages.map(
    ({ name, current }) => [name, candidateOf(name)?.version ?? current] as const,
  );
  return { versions: new Map(versions), conflicts };
};

const newestFirst = ({ current, candidates }: Choosable): Candidate[] =>
  candidates
    .filter(({ version }) => compareVersions(version, current) >= 0)
    .sort((one, other) => compareVersions(other.version, one.version));

const conflictsOf = (
  packages: readonly Choosable[],
  candidateOf: (name: string) => Candidate | undefined,
): readonly Conflict[] =>
  packages.flatMap(({ name }) => {
    const own = candidateOf(name);
    if (own === undefined) return [];
    return Object.entries(own.peerDependencies).flatMap(([peer, range]) => {
      const found = candidateOf(peer)?.version;
      const isMet = found === undefined || satisfies(found, range);
      return isMet ? [] : [{ name, version: own.version, peer, range, found }];
    });
  });

/** Returns the package to lower, and the alternative if that package has no older version: the peer is first if it is above the range. */
const toLower = ({ name, peer, range, found }: Conflict): readonly [string, string] => {
  const minimum = /\d+\.\d+\.\d+/.exec(range.split("||").at(-1) ?? "")?.[0] ?? "0.0.0";
  return compareVersions(found, minimum) > 0 ? [peer, name] : [name, peer];
};

const isSame = (one: Conflict, other: Conflict): boolean =>
  one.name === other.name &&
  one.version === other.version &&
  one.peer === other.peer &&
  one.found === other.found;
