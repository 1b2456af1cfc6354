/** A name in quotes, or one that `isolated` has marked. */
const NAMES = /(?<=“)([^”]*)(?=”)|\u2068([^\u2069]*)\u2069/;

/** A sentence with names. Each name is isolated, so that one written from right to left leaves the rest in order. */
export const Sentence = ({ text }: { text: string }) => (
  <>{text.split(NAMES).map((part, at) => (part && at % 3 > 0 ? <bdi key={at}>{part}</bdi> : part))}</>
);

/** An e-mail address. A long one breaks after its @ and its dots. */
export const Email = ({ address }: { address: string }) => (
  <bdi class="email">
    {address.split(/(?<=[@.])/).map((part, at) => (
      <>
        {at > 0 && <wbr />}
        {part}
      </>
    ))}
  </bdi>
);
