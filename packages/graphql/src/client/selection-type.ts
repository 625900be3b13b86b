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
  print,
  SchemaMetaFieldDef,
  type SelectionSetNode,
  TypeMetaFieldDef,
} from "graphql";

const scalars: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ID: "string",
    String: "string",
    Int: "number",
    Float: "number",
    Boolean: "boolean",
  }),
);

/** Meta fields of the query type, which `getFields()` omits. */
const metaFields: Readonly<Record<string, typeof SchemaMetaFieldDef>> = {
  __schema: SchemaMetaFieldDef,
  __type: TypeMetaFieldDef,
};

/** A node of a document, with its `@skip` and `@include` directives as text: "" if it is always included. */
interface ConditionalNode<Node> {
  readonly node: Node;
  readonly condition: string;
}

type ConditionalSet = ConditionalNode<SelectionSetNode>;

/** Generates the types of the results of operations. */
export class SelectionTypes {
  private readonly schema: GraphQLSchema;
  private readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;

  constructor(schema: GraphQLSchema, fragments: ReadonlyMap<string, FragmentDefinitionNode>) {
    this.schema = schema;
    this.fragments = fragments;
  }

  /** Returns the type of an object with these selections. */
  ofObject(type: GraphQLObjectType, sets: readonly ConditionalSet[]): string {
    const selected = new Map<string, ConditionalNode<FieldNode>[]>();
    for (const set of sets) this.collect(type, set, selected);
    const members = [...selected].map(([name, nodes]) => {
      const isOptional = nodes.every(({ condition }) => condition !== "");
      return `readonly ${name}${isOptional ? "?" : ""}: ${this.ofField(type, nodes)}`;
    });
    return `{ ${members.join("; ")} }`;
  }

  private collect(
    type: GraphQLObjectType,
    { node: { selections }, condition: outer }: ConditionalSet,
    selected: Map<string, ConditionalNode<FieldNode>[]>,
  ): void {
    for (const node of selections) {
      const condition = outer + conditionOf(node.directives);
      if (node.kind === Kind.FIELD) {
        const name = node.alias?.value ?? node.name.value;
        const known = selected.get(name);
        if (known === undefined) selected.set(name, [{ node, condition }]);
        else known.push({ node, condition });
        continue;
      }
      const fragment = node.kind === Kind.FRAGMENT_SPREAD ? this.fragments.get(node.name.value) : node;
      if (fragment !== undefined && this.applies(fragment.typeCondition?.name.value, type))
        this.collect(type, { node: fragment.selectionSet, condition }, selected);
    }
  }

  private applies(condition: string | undefined, type: GraphQLObjectType): boolean {
    const conditionType = condition === undefined ? type : this.schema.getType(condition);
    return (
      conditionType === type || (isAbstractType(conditionType) && this.schema.isSubType(conditionType, type))
    );
  }

  private ofField(parent: GraphQLObjectType, nodes: readonly ConditionalNode<FieldNode>[]): string {
    const [first] = nodes;
    const name = first?.node.name.value ?? "";
    if (name === "__typename") return JSON.stringify(parent.name);
    const field = parent.getFields()[name] ?? metaFields[name];
    if (field === undefined) throw new Error(`${parent.name} has no field ${name}`); // impossible in a valid document
    // A condition that all selections of the object share is met if the object is in the result.
    const isShared = nodes.every(({ condition }) => condition === first?.condition);
    const sets = nodes.flatMap(({ node: { selectionSet }, condition }): ConditionalSet[] =>
      selectionSet === undefined ? [] : [{ node: selectionSet, condition: isShared ? "" : condition }],
    );
    return this.ofValue(field.type, sets);
  }

  private ofValue(type: GraphQLOutputType, sets: readonly ConditionalSet[]): string {
    if (isNonNullType(type)) return this.ofNonNull(type.ofType, sets);
    return `${this.ofNonNull(type, sets)} | null`;
  }

  private ofNonNull(type: GraphQLOutputType, sets: readonly ConditionalSet[]): string {
    if (isListType(type)) return `readonly (${this.ofValue(type.ofType, sets)})[]`;
    const named = getNamedType(type);
    if (isEnumType(named))
      return named
        .getValues()
        .map(({ name }) => JSON.stringify(name))
        .join(" | ");
    if (isObjectType(named)) return this.ofObject(named, sets);
    if (!isAbstractType(named)) return scalars.get(named.name) ?? "unknown";
    const types = this.schema.getPossibleTypes(named).map((each) => this.ofObject(each, sets));
    return types.length === 0 ? "never" : [...new Set(types)].join(" | "); // an interface may have no type
  }
}

const conditionOf = (directives: readonly DirectiveNode[] = []): string =>
  directives
    .filter(({ name }) => name.value === "skip" || name.value === "include")
    .map(print)
    .join(" ");
