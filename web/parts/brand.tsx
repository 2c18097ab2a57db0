const {
  name = '',
  logo = '',
  logoDark = '',
} = document.querySelector<HTMLElement>('body > [data-name]')?.dataset ?? {};

/** The operator's name, at the end of every title. */
export const serviceName = name;

export function Brand() {
  if (logo === '') return <span className="name">{name}</span>;
  return (
    <picture>
      {logoDark !== '' && <source srcSet={logoDark} media="(prefers-color-scheme: dark)" />}
      <img className="logo" src={logo} alt={name} />
    </picture>
  );
}
