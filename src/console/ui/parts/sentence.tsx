/** A sentence with names in quotes. Each name is isolated, so that one written from right to left leaves the rest in order. */
export const Sentence = ({ text }: { text: string }) => (
  <>
    {text.split(/(?<=“)([^”]*)(?=”)/).map((part, at) => (at % 2 === 1 ? <bdi key={at}>{part}</bdi> : part))}
  </>
);
