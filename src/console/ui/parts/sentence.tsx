/** A sentence with names in quotes: however one is written, from right to left too, it disorders nothing around it. */
export const Sentence = ({ text }: { text: string }) => (
  <>
    {text.split(/(?<=“)([^”]*)(?=”)/).map((part, at) => (at % 2 === 1 ? <bdi key={at}>{part}</bdi> : part))}
  </>
);
