"""Frame scores to texts: CTC sums, beam search, alignment, letter confusions, confidence.

Door: `decoder.Decoder`, `alignment.align` and `score_texts`, `ctc.line_posteriors`, `confidence.confidence`.

- `ctc`: forward sums over all alignments; posteriors of a whole line.
- `confusions`: what it costs when the ink shows another letter (`confusions.toml`).
- `transitions`, `beam`, `decoder`: search inside an automaton that a caller brings; see
  `decoder.TextAutomaton`.
- `alignment`: how a text lies on the ink, frame by frame and word by word.
- `confidence`: how sure a decoded line is, and whether a person must look (`confidence.toml`).

Without grammar and names: those are in the automaton.
"""
