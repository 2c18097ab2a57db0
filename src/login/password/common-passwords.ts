// Common passwords, in the form that password-rules.ts compares: lower case, without separators. They combine the words
// at the top of every published list with the endings that people add to satisfy a rule, so that the few hundred stems
// below make several thousand passwords.

const stems =
  'password passwort passw0rd p@ssword p@ssw0rd pa55word letmein welcome iloveyou sunshine princess dragon monkey football baseball superman batman trustno1 master shadow michael jennifer jordan hunter ranger buster soccer hockey killer george charlie andrew thomas daniel jessica pepper ginger summer winter spring autumn sommer frühling herbst hallo servus geheim schatz computer internet samsung google facebook linkedin whatever starwars pokemon chocolate butterfly liverpool arsenal chelsea barcelona ronaldo messi freedom secret login admin administrator root toor guest test testing default changeme changeit access controller overlay overlayauth ziti openziti network quickstart example company business office private security';

const keyboardWalks =
  'qwerty qwertyuiop qwertyui qwertz qwertzuiop qwertzui azerty azertyuiop asdfgh asdfghjk asdfghjkl zxcvbn zxcvbnm yxcvbnm 1q2w3e4r 1q2w3e4r5t 1qaz2wsx 1qaz2wsx3edc qazwsx qazwsxedc zaq12wsx q1w2e3r4 q1w2e3r4t5 abcdef abcdefg abcdefgh abcdefghi abcdefghij abc123 abcd1234 a1b2c3d4 123qwe qwe123 qweasd qweasdzxc asdasd asd123 123456 1234567 12345678 123456789 1234567890 12345678910 123456789012 0123456789 987654321 9876543210 0987654321 11223344 112233 1122334455 147258369 159753 123123 123321 12341234 123123123 1234512345';

const usualEndings =
  '1 12 123 1234 12345 123456 1234567 12345678 123456789 1234567890 ! !! 1! 12! 123! 1234! 0 00 000 01 007 2020 2021 2022 2023 2024 2025 2026 2027 2023! 2024! 2025! 2026! 69 99 666 777 888 abc qwerty # ? @123 @1234 #123';

let all: ReadonlySet<string> | undefined;

/** Built at the first change of a password: a start need not wait for tens of thousands of texts, nor keep them. */
export function isCommonPassword(plain: string): boolean {
  const endings = ['', ...usualEndings.split(' ')];
  all ??= new Set(
    [...stems.split(' '), ...keyboardWalks.split(' ')].flatMap((stem) =>
      endings.flatMap((ending) => [`${stem}${ending}`, `${ending}${stem}`, `${stem}${stem}${ending}`]),
    ),
  );
  return all.has(plain);
}
