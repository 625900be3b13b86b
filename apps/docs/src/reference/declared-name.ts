/** A parameter, type parameter or other tag of a docstring. */
export interface DocTag {
  /** `param`, `throws`, `default`, `example`, `returns` … */
  readonly tag: string;
  readonly text: string;
}

/** The contents of a docstring. */
export interface Documentation {
  readonly text: string;
  readonly tags: readonly DocTag[];
}

/** A public member of a class, an interface or an object. */
export interface DeclaredMember extends Documentation {
  readonly name: string;
  /** Its declaration, as in the source. */
  readonly code: string;
  readonly isStatic: boolean;
}

/** A name that an entry of a package exports. */
export interface DeclaredName extends Documentation {
  readonly name: string;
  readonly kind: "class" | "interface" | "type" | "function" | "constant";
  readonly code: string;
  readonly members: readonly DeclaredMember[];
}

/** An entry of a package with everything that it exports, by name. */
export interface DeclaredEntry {
  /** Specifier of an import, such as `@framework/core/testing`. */
  readonly specifier: string;
  readonly names: readonly DeclaredName[];
}
