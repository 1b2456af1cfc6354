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
