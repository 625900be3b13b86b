import {
  type DirectiveNode,
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLError,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from "graphql";
import { refusalError } from "./refusal-error.ts";

/** Limits on the shape of a document. */
export interface DocumentLimits {
  readonly maxDepth: number;
  readonly maxAliases: number;
  readonly maxDirectives: number;
  readonly maxFields: number;
  readonly maxFragments: number;
}

/** Size of a selection set with its fragments expanded. */
interface Shape {
  depth: number;
  aliases: number;
  directives: number;
  fields: number;
}

/** Properties of a document that is within its limits. */
export interface AcceptedDocument {
  /** Whether a definition has aliases, or names that repeat in a selection set. */
  readonly hasRepeats: boolean;
}

/**
 * Checks the shape of a document before validation, whose own rules take quadratic time for repeated fields. Each fragment is measured once, so
 * the time is linear in the document, regardless of the size of its expansion.
 */
export const checkDocument = (
  document: DocumentNode,
  limits: DocumentLimits,
  introspection: boolean,
): GraphQLError | AcceptedDocument => {
  const fragments = document.definitions.filter(({ kind }) => kind === Kind.FRAGMENT_DEFINITION).length;
  // Validation compares each pair of fragments of a selection set.
  if (fragments > limits.maxFragments) return limitExceeded("maxFragments", limits);
  const counter = new ShapeCounter(document, introspection);
  let hasRepeats = false;
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION && definition.kind !== Kind.FRAGMENT_DEFINITION)
      return refusalError("Only operations and fragments can be executed");
    const shape = counter.definition(definition);
    const refusal = counter.refusal ?? exceededLimit(shape, limits);
    if (refusal !== null) return refusal;
    hasRepeats ||= shape.aliases > 0;
  }
  return { hasRepeats };
};

const exceededLimit = (
  { depth, aliases, directives, fields }: Shape,
  limits: DocumentLimits,
): GraphQLError | null => {
  if (depth > limits.maxDepth) return limitExceeded("maxDepth", limits);
  if (aliases > limits.maxAliases) return limitExceeded("maxAliases", limits);
  if (directives > limits.maxDirectives) return limitExceeded("maxDirectives", limits);
  return fields > limits.maxFields ? limitExceeded("maxFields", limits) : null;
};

/** Names of the limited quantities in messages. */
const limitNames = {
  maxDocumentLength: "length of the document",
  maxTokens: "number of tokens",
  maxDepth: "depth",
  maxAliases: "number of aliases and repeated fields",
  maxDirectives: "number of directives",
  maxFields: "number of fields",
  maxFragments: "number of fragments",
  maxComplexity: "cost of the operation",
} as const;

/** Returns the refusal for an exceeded limit. */
export const limitExceeded = <Limit extends keyof typeof limitNames>(
  limit: Limit,
  limits: Readonly<Record<Limit, number | undefined>>,
): GraphQLError => refusalError(`The ${limitNames[limit]} exceeds the limit of ${limits[limit]}`, { limit });

/** Returns the refusal for a fragment that contains itself, directly or through other fragments. */
export const fragmentCycle = (fragment: string): GraphQLError =>
  refusalError(`The fragment "${fragment}" contains itself`);

/** Returns the refusal for a name of several fragments, with the message of the validation. */
const repeatedFragment = (fragment: string): GraphQLError =>
  refusalError(`There can be only one fragment named "${fragment}".`);

class ShapeCounter {
  refusal: GraphQLError | null = null;
  private readonly introspection: boolean;
  private readonly fragments = new Map<string, FragmentDefinitionNode>();
  private readonly shapes = new Map<string, Shape>();
  private readonly openFragments = new Set<string>();

  constructor({ definitions }: DocumentNode, introspection: boolean) {
    this.introspection = introspection;
    for (const node of definitions) {
      if (node.kind !== Kind.FRAGMENT_DEFINITION) continue;
      const name = node.name.value;
      // Only one fragment of each name is measured, but validation reads all of them.
      if (this.fragments.has(name)) this.refusal ??= repeatedFragment(name);
      this.fragments.set(name, node);
    }
  }

  definition(node: OperationDefinitionNode | FragmentDefinitionNode): Shape {
    if (node.kind === Kind.FRAGMENT_DEFINITION) return this.fragment(node.name.value);
    const shape: Shape = { depth: 0, aliases: 0, directives: countOf(node.directives), fields: 0 };
    for (const { directives } of node.variableDefinitions ?? []) shape.directives += countOf(directives);
    this.add(shape, node.selectionSet, new Set(), "");
    return shape;
  }

  /** @param names response names seen in the set, by type condition: validation compares repeated names with each other */
  private add(shape: Shape, { selections }: SelectionSetNode, names: Set<string>, condition: string): void {
    for (const node of selections) {
      shape.directives += countOf(node.directives);
      if (node.kind === Kind.FRAGMENT_SPREAD) this.addFragment(shape, node.name.value);
      else if (node.kind === Kind.INLINE_FRAGMENT)
        this.add(shape, node.selectionSet, names, node.typeCondition?.name.value ?? condition);
      else {
        const name = node.name.value;
        if (!this.introspection && name.startsWith("__") && name !== "__typename")
          this.refusal ??= refusalError("Introspection is disabled", {}, 403);
        const key = `${condition}.${node.alias?.value ?? name}`;
        const inner: Shape = { depth: 0, aliases: 0, directives: 0, fields: 1 };
        if (node.alias !== undefined || names.has(key)) inner.aliases++;
        names.add(key);
        if (node.selectionSet !== undefined) this.add(inner, node.selectionSet, new Set(), "");
        include(shape, inner, 1);
      }
    }
  }

  /**
   * Adds a fragment. A fragment on an introspection type, such as `__Type`, adds no depth to the selection set around it: the introspection query that tools
   * send is 15 levels deep with its fragments. `MaxIntrospectionDepthRule` limits its lists, and its other fields have no cost.
   */
  private addFragment(shape: Shape, name: string): void {
    const inner = this.fragment(name);
    const describesSchema = this.fragments.get(name)?.typeCondition.name.value.startsWith("__") === true;
    include(shape, describesSchema ? { ...inner, depth: 0 } : inner, 0);
  }

  private fragment(name: string): Shape {
    const known = this.shapes.get(name);
    if (known !== undefined) return known;
    const shape: Shape = { depth: 0, aliases: 0, directives: 0, fields: 0 };
    const node = this.fragments.get(name);
    if (node === undefined) return shape; // validation reports it
    if (this.openFragments.has(name)) {
      this.refusal ??= fragmentCycle(name);
      return shape;
    }
    this.openFragments.add(name);
    shape.directives += countOf(node.directives);
    this.add(shape, node.selectionSet, new Set(), node.typeCondition.name.value);
    this.openFragments.delete(name);
    this.shapes.set(name, shape);
    return shape;
  }
}

const countOf = (directives: readonly DirectiveNode[] | undefined): number => directives?.length ?? 0;

const include = (outer: Shape, inner: Shape, levels: number): void => {
  outer.depth = Math.max(outer.depth, inner.depth + levels);
  outer.aliases += inner.aliases;
  outer.directives += inner.directives;
  outer.fields += inner.fields;
};
