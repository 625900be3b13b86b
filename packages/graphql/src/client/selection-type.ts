import {
  type DirectiveNode,
  type FieldNode,
  type FragmentDefinitionNode,
  getNamedType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  isAbstractType,
  isEnumType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  SchemaMetaFieldDef,
  type SelectionSetNode,
  TypeMetaFieldDef,
} from "graphql";

const scalars: Readonly<Record<string, string>> = {
  ID: "string",
  String: "string",
  Int: "number",
  Float: "number",
  Boolean: "boolean",
};

/** Fields of the query type that it does not name. */
const metaFields: Readonly<Record<string, typeof SchemaMetaFieldDef>> = {
  __schema: SchemaMetaFieldDef,
  __type: TypeMetaFieldDef,
};

/** The selections of one response name in an object. */
interface Selected {
  readonly nodes: FieldNode[];
  /** Whether a directive may leave all of them out. */
  isOptional: boolean;
}

/** Writes the types of data by what an operation selects. */
export class SelectionTypes {
  private readonly schema: GraphQLSchema;
  private readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;

  constructor(schema: GraphQLSchema, fragments: ReadonlyMap<string, FragmentDefinitionNode>) {
    this.schema = schema;
    this.fragments = fragments;
  }

  /** Returns the type of an object with these selections. */
  ofObject(type: GraphQLObjectType, sets: readonly SelectionSetNode[]): string {
    const selected = new Map<string, Selected>();
    for (const set of sets) this.collect(type, set, selected, false);
    const members = [...selected].map(
      ([name, { nodes, isOptional }]) =>
        `readonly ${name}${isOptional ? "?" : ""}: ${this.ofField(type, nodes)}`,
    );
    return `{ ${members.join("; ")} }`;
  }

  private collect(
    type: GraphQLObjectType,
    { selections }: SelectionSetNode,
    selected: Map<string, Selected>,
    isOptional: boolean,
  ): void {
    for (const node of selections) {
      const mayMiss = isOptional || isConditional(node.directives);
      if (node.kind === Kind.FIELD) {
        const name = node.alias?.value ?? node.name.value;
        const known = selected.get(name);
        if (known === undefined) selected.set(name, { nodes: [node], isOptional: mayMiss });
        else {
          known.nodes.push(node);
          known.isOptional &&= mayMiss;
        }
        continue;
      }
      const fragment = node.kind === Kind.FRAGMENT_SPREAD ? this.fragments.get(node.name.value) : node;
      if (fragment !== undefined && this.applies(fragment.typeCondition?.name.value, type))
        this.collect(type, fragment.selectionSet, selected, mayMiss);
    }
  }

  private applies(condition: string | undefined, type: GraphQLObjectType): boolean {
    const wanted = condition === undefined ? type : this.schema.getType(condition);
    return wanted === type || (isAbstractType(wanted) && this.schema.isSubType(wanted, type));
  }

  private ofField(parent: GraphQLObjectType, nodes: readonly FieldNode[]): string {
    const name = nodes[0]?.name.value ?? "";
    if (name === "__typename") return JSON.stringify(parent.name);
    const field = parent.getFields()[name] ?? metaFields[name];
    if (field === undefined) throw new Error(`${parent.name} has no field ${name}`); // a valid document has none of these
    const sets = nodes.flatMap(({ selectionSet }) => selectionSet ?? []);
    return this.ofValue(field.type, sets);
  }

  private ofValue(type: GraphQLOutputType, sets: readonly SelectionSetNode[]): string {
    if (isNonNullType(type)) return this.present(type.ofType, sets);
    return `${this.present(type, sets)} | null`;
  }

  private present(type: GraphQLOutputType, sets: readonly SelectionSetNode[]): string {
    if (isListType(type)) return `readonly (${this.ofValue(type.ofType, sets)})[]`;
    const named = getNamedType(type);
    if (isEnumType(named))
      return named
        .getValues()
        .map(({ name }) => JSON.stringify(name))
        .join(" | ");
    if (isObjectType(named)) return this.ofObject(named, sets);
    if (!isAbstractType(named)) return scalars[named.name] ?? "unknown";
    const types = this.schema.getPossibleTypes(named).map((each) => this.ofObject(each, sets));
    return [...new Set(types)].join(" | ");
  }
}

const isConditional = (directives: readonly DirectiveNode[] = []): boolean =>
  directives.some(({ name }) => name.value === "skip" || name.value === "include");
