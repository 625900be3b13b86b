/** One import, from file to file. */
export interface Edge {
  readonly from: string;
  readonly to: string;
}

/**
 * Finds cycles of imports: for each strongly connected component its shortest cycle, as a list of imports.
 *
 * @param nodeOf returns the node of a file: the file itself, or its folder
 */
export const findCycles = (edges: readonly Edge[], nodeOf: (file: string) => string): Edge[][] => {
  const graph = graphOf(edges, nodeOf);
  return components(graph).map((members) => shortestCycle(graph, new Set(members)));
};

/** First import of each edge, by node and imported node. */
type Graph = ReadonlyMap<string, ReadonlyMap<string, Edge>>;

const graphOf = (edges: readonly Edge[], nodeOf: (file: string) => string): Graph => {
  const graph = new Map<string, Map<string, Edge>>();
  for (const edge of edges) {
    const [node, next] = [nodeOf(edge.from), nodeOf(edge.to)];
    const nexts = graph.get(node) ?? new Map<string, Edge>();
    graph.set(node, nexts);
    if (node !== next && !nexts.has(next)) nexts.set(next, edge);
  }
  return graph;
};

/** Strongly connected components of more than one node (Tarjan's algorithm). */
const components = (graph: Graph): string[][] => {
  const visits = new Map<string, { readonly index: number; low: number; open: boolean }>();
  const path: string[] = [];
  const found: string[][] = [];
  const visit = (node: string): number => {
    const own = { index: visits.size, low: visits.size, open: true };
    visits.set(node, own);
    path.push(node);
    for (const next of graph.get(node)?.keys() ?? []) {
      const known = visits.get(next);
      if (known === undefined) own.low = Math.min(own.low, visit(next));
      else if (known.open) own.low = Math.min(own.low, known.index);
    }
    if (own.low !== own.index) return own.low;
    const members = path.splice(path.indexOf(node));
    for (const member of members) Object.assign(visits.get(member) ?? {}, { open: false });
    if (members.length > 1) found.push(members);
    return own.low;
  };
  for (const node of graph.keys()) if (!visits.has(node)) visit(node);
  return found;
};

const shortestCycle = (graph: Graph, members: ReadonlySet<string>): Edge[] => {
  const cycles = [...members].map((member) => pathBack(graph, members, member));
  return cycles.reduce((best, cycle) => (cycle.length < best.length ? cycle : best));
};

/** The shortest path from a node to itself, breadth first. */
const pathBack = (graph: Graph, members: ReadonlySet<string>, start: string): Edge[] => {
  const paths = new Map<string, readonly Edge[]>([[start, []]]);
  for (const [node, path] of paths) {
    for (const [next, edge] of graph.get(node) ?? []) {
      if (next === start) return [...path, edge];
      if (members.has(next) && !paths.has(next)) paths.set(next, [...path, edge]);
    }
  }
  throw new Error(`${start} is not in a cycle`);
};
