"""Words that the rules of names know: what a capital does not make a name, and what tells a body or a place from a person."""

from __future__ import annotations

from typing import Final

__all__ = ["CLASS_WORDS", "HONORIFICS", "LEADING_WORDS", "MODIFIERS", "NATIONS", "NO_NAMES", "ROLES", "SMALL_WORDS"]

_MONTHS_AND_DAYS = """
January February March April May June July August September October November December Jan Feb Mar Apr Jun Jul Aug Sep
Sept Oct Nov Dec Monday Tuesday Wednesday Thursday Friday Saturday Sunday Spring Summer Autumn Winter Easter Christmas
BC BCE AD CE AM PM
"""
_FUNCTION_WORDS = """
A Abroad About Above According Across Additionally After Afterwards Again Against Ah All Almost Alone Along Already Also
Although Altogether Always Am Amid Among An And Another Any Anybody Anyone Anything Apart Are Around As At Aye Back Be
Because Become Been Before Behind Being Below Beside Besides Between Beyond Both Briefly But By Can Certainly Come
Could Dear Despite Did Do Does Done Down Due During Each Earlier Eight Either Eventually Every Everybody Everyone
Everything Even Ever Except Few Finally First Five Following For Former Formerly Fortunately Forty Four Fourteen From
Furthermore Given Go Good Had Half Has Have Having He Hence Henceforth Her Here Herself Hers Him Himself His
Historically How However I Ie If Immediately In Indeed Initially Inside Instead Into Is It Its Itself Just Know Last
Later Lastly Less Let Like Likewise Little Located Long Look Many May Maybe Me Meanwhile Might Mine More Moreover Most
Mostly Much Must My Myself Namely Near Nearly Neither Never Nevertheless New Next Nine No Nobody None Nonetheless Nor
Not Nothing Notable Notably Now O Of Off Often Oh Old On Once One Only Onto Or Originally Other Others Otherwise Our
Ours Out Outside Over Overall Own Part Perhaps Please Poor Possibly Presently Previously Prior Probably Quite Rather
Really Recently Regarding Right Second See Seven Several Shall She Should Similarly Simply Since Six Sixteen So Some
Somebody Someone Something Sometimes Somewhat Soon Still Subsequently Such Suddenly Surely Tell Ten Than Thank Thanks
That The Their Theirs Them Themselves Then There Thereafter Therefore These They Third This Those Though Three Through
Throughout Thus Till To Today Together Tomorrow Tonight Too Towards Twelve Twenty Two Under Unfortunately Unless
Unlike Until Up Upon Us Usually Various Very Via Was We Well Were What Whatever When Whenever Where Whereas Wherever
Whether Which While Who Whoever Whom Whose Why Will With Within Without Would Ye Yes Yesterday Yet You Your Yours
Yourself
"""
_NUMBERS = """
One Two Three Four Five Six Seven Eight Nine Ten Eleven Twelve Thirteen Fourteen Fifteen Sixteen Seventeen Eighteen Nineteen
Twenty Thirty Forty Fifty Sixty Seventy Eighty Ninety Hundred Thousand First Second Third
"""
_TITLES_ALONE = """
Mr Mrs Ms Miss Dr Sir Madam Lord Lady King Queen Prince Princess President Chairman Chairwoman Minister Senator
Governor General Colonel Captain Professor Father Mother Brother Sister Uncle Aunt Bishop Pope Saint Director
Secretary Mayor Church House State University College School Department Section Chapter Table Figure Note Notes
References History Career Life Biography Background Early Personal Education Legacy Works Awards Honours Family
Overview External Links Bibliography Sources Gallery Members Events Results
"""
_ROLES = """
Justice Chief Ambassador Commander Officer Commissioner Speaker Leader Treasurer Member Judge Dean Rector Chancellor Sheriff
Baron Baroness Duke Duchess Earl Count Countess Marquess Emperor Empress Archbishop Cardinal Chair Head Deputy Premier
"""
_NATIONS = """
African American Arab Arabian Argentine Armenian Asian Australian Austrian Belgian Brazilian British Bulgarian
Canadian Catholic Chinese Christian Croatian Cuban Czech Danish Dutch Egyptian English European Finnish French
Georgian German Germans Greek Hungarian Indian Iranian Irish Israeli Italian Italians Japanese Jewish Jews Korean
Latin Mexican Muslim Norwegian Ottoman Pakistani Persian Polish Portuguese Protestant Prussian Roman Romanian Russian
Russians Scottish Serbian Soviet Spanish Swedish Swiss Turkish Ukrainian Welsh Americans Chinese Britons Orthodox
Western Eastern Northern Southern Central North South East West
"""
_BODIES_AND_PLACES = """
Administration Branch Branches Plan Program Programme Policy Estadio Estádio Stade Stadion Stadium Municipal Platz Gymnasium
Universität Université Universidad Formula Racing Serie
Abbey Academy Act Agency Airport Alliance Army Assembly Association Authority Avenue Award Awards Bank Bay Board Book
Borough Bridge Brigade Bureau Cabinet Castle Cathedral Cemetery Center Centre Chapel Church City Club College
Commission Committee Company Conference Congress Corporation Corps Council Country County Court Creek Cup Department
Diocese District Division Empire Farm Federation Festival Fleet Forest Foundation Front Fund Garden Gardens Gate
Government Group Hall Harbour Harbor High Hill Hills Hospital Hotel House Inc Industries Institute Institution Island
Islands Journal Kingdom Lake Landmark League Library Limited Ltd Mall Magazine Market Medal Memorial Ministry Mission
Monastery Mosque Mount Mountain Mountains Movement Museum Navy Ocean Office Opera Orchestra Order Organisation
Organization Palace Parish Park Parliament Party Place Planetarium Plant Police Pond Port Post Press Prison Prize
Project Province Publishing Race Radio Railway Railroad Records Regiment Region Register Republic Reserve Review River
Road Royal Sea School Schools Secretary Seminary Senate Service Services Society Square Squadron State States Station
Street Studio Studios Synagogue System Television Temple Territory Theatre Theater Times Tower Town Track Treaty
Tribunal Trust Union United University Valley Village War Wing Works World Zoo Oblast Olympics Championship
Championships Games Series Season Tour Trophy FC F.C United Rovers Athletic
"""
_BEFORE_PLACES = """
New North South East West Northern Southern Eastern Western Upper Lower Old Great Greater Little Saint St San Santa
Los Las El La Port Fort Mount Lake Cape Central Middle Nazi Soviet Imperial Royal National Real FC AC SC Inter Holy
First Second Third American British English French German Russian Chinese Spanish Italian
"""
_HONORIFIC = """
Mr Mrs Ms Miss Master Mistress Lord Lady Sir Dame King Queen Prince Princess Madame Mme Mlle
"""
_JOINING = """
of de del della der den des di da do dos du la le van von zu bin ibn al el ter ten the &
"""

NO_NAMES: Final = frozenset((_MONTHS_AND_DAYS + _FUNCTION_WORDS + _NUMBERS + _TITLES_ALONE + _NATIONS).split())
LEADING_WORDS: Final = (
    frozenset((_MONTHS_AND_DAYS + _FUNCTION_WORDS).split()) - {"New", "Old", "Long", "Little", "Good"} - {*_NUMBERS.split()}
)
NATIONS: Final = frozenset(_NATIONS.split())
ROLES: Final = frozenset((_ROLES + _TITLES_ALONE).split())
CLASS_WORDS: Final = frozenset(_BODIES_AND_PLACES.split())
MODIFIERS: Final = frozenset(_BEFORE_PLACES.split())
HONORIFICS: Final = frozenset(_HONORIFIC.split())
SMALL_WORDS: Final = frozenset(_JOINING.split())
