"""Layouts of real editions, written short.

`»` stands where a unit starts, `¶` for a paragraph of prose, `♪` for a stanza, `◎` for Chinese prose.
"""

from __future__ import annotations

import re
from itertools import count

_PROSE = (
    "It was late in the autumn when the boat came up the river, and nobody at\nthe landing had "
    "expected her before the spring; the old ferryman"
    " put down\nhis lantern, looked at the water for a long while, and said nothing to the\nboys who "
    "had come running down from the mill.",
    "“You are early,” said the miller, when he had read the letter twice. “I\nhad thought that it "
    "would be another week, and the roof is not"
    " yet mended.\nBut come in, come in; there is a fire, and we will find you something to\neat "
    "before the others are back from the hill.”",
    "He never told them what he had seen on the other bank, though they asked\nhim often enough in "
    "the winters that followed, and when he was"
    " very old he\nwould only shake his head and point with his pipe at the place where the\nwillows had been.",
)
_VERSE = (
    "Sing, river, of the lantern on the weir,\nThe boat that came before the ice was gone,\nAnd of "
    "the miller, old and slow to hear,\nWho"
    " kept his door unbarred from dusk till dawn.",
    "No oar was heard, no voice along the shore,\nBut only reeds that whispered to the tide,\nUntil "
    "the ferryman went down once more\nAnd"
    " saw the light upon the other side.",
)
_CHINESE = (
    "　　話說那年深秋，渡口來了一隻小船，村中無人知道他從何處來。老船公放下燈籠，望著江水半日，一句話也不曾說。",
    "　　次日天明，磨坊主人拆開書信看了，歎道：「來得早了，屋頂尚未修好。」便叫人生火備飯，請客人進內坐下。",
)


def printed(layout: str) -> tuple[str, list[int]]:
    """The text of a layout, and where units must start in it."""
    number = count()
    text = layout
    for sign, pieces in (("¶", _PROSE), ("♪", _VERSE), ("◎", _CHINESE)):
        text = re.sub(sign, lambda _, pieces=pieces: pieces[next(number) % len(pieces)], text)
    starts: list[int] = []
    while "»" in text:
        starts.append(text.index("»"))
        text = text.replace("»", "", 1)
    return text, starts


LAYOUTS: dict[str, str] = {}

LAYOUTS["a preface and chapters that the contents page prints just as they are"] = """The Picture

by Oscar Somebody


Contents

 THE PREFACE
 CHAPTER I.
 CHAPTER II.
 CHAPTER III.




»THE PREFACE


The artist is the creator of beautiful things.

¶

¶

OSCAR SOMEBODY




»CHAPTER I.


¶

¶




»CHAPTER II.


¶




»CHAPTER III.


¶
"""

LAYOUTS["letters first, then chapters"] = """Frankenstein;

or, the Modern Prometheus

by Mary Wollstonecraft (Godwin) Shelley


 CONTENTS

 Letter 1
 Letter 2
 Chapter 1
 Chapter 2




»Letter 1

_To Mrs. Saville, England._


St. Petersburgh, Dec. 11th, 17—.


You will rejoice to hear that no disaster has accompanied the
commencement of an enterprise.

¶

Your affectionate brother,

R. Walton




»Letter 2

_To Mrs. Saville, England._


Archangel, 28th March, 17—.


¶




»Chapter 1


I am by birth a Genevese, and my family is one of the most distinguished
of that republic.

¶




»Chapter 2


¶
"""

LAYOUTS["books above chapters, titles on the next line"] = """A TALE OF TWO CITIES

A STORY OF THE FRENCH REVOLUTION

By Charles Dickens


CONTENTS


 Book the First—Recalled to Life

 CHAPTER I      The Period
 CHAPTER II     The Mail

 Book the Second—the Golden Thread

 CHAPTER I      Five Years Later
 CHAPTER II     A Sight





»Book the First—Recalled to Life




CHAPTER I.
The Period


It was the best of times, it was the worst of times, it was the age of
wisdom, it was the age of foolishness, it was the epoch of belief.

¶




»CHAPTER II.
The Mail


¶

¶




»Book the Second—the Golden Thread




CHAPTER I.
Five Years Later


¶




»CHAPTER II.
A Sight


“You know the Old Bailey well, no doubt?” said one of the oldest of
clerks to Jerry the messenger.

¶
"""

LAYOUTS["numbers that run on through parts, titles below them, page numbers in the contents"] = """TREASURE ISLAND

by Robert Louis Stevenson


  TO THE HESITATING PURCHASER

     If sailor tales to sailor tunes,
        Storm and adventure, heat and cold,
     If schooners, islands, and maroons,
        And buccaneers, and buried gold,



CONTENTS

                  PART ONE
             The Old Buccaneer

     1. THE OLD SEA-DOG AT THE ADMIRAL BENBOW  . . .  11
     2. BLACK DOG APPEARS AND DISAPPEARS  . . . . . .  17

                  PART TWO
                 The Sea Cook

     3. I GO TO BRISTOL . . . . . . . . . . . . . . . 49
     4. AT THE SIGN OF THE SPY-GLASS  . . . . . . . . 54





»PART ONE--The Old Buccaneer




1

The Old Sea-dog at the Admiral Benbow

SQUIRE TRELAWNEY, Dr. Livesey, and the rest of these gentlemen having
asked me to write down the whole particulars, I take up my pen.

¶



»2

Black Dog Appears and Disappears

¶

¶



»PART TWO--The Sea Cook




3

I Go to Bristol

¶



»4

At the Sign of the Spy-glass

¶
"""

LAYOUTS["chapters restart in each book, epilogues have chapters"] = """WAR AND PEACE


By Leo Tolstoy


    Contents

    BOOK ONE: 1805

    CHAPTER I

    CHAPTER II

    BOOK TWO: 1805

    CHAPTER I

    FIRST EPILOGUE: 1813 - 20

    CHAPTER I

    CHAPTER II




»BOOK ONE: 1805





CHAPTER I

“Well, Prince, so Genoa and Lucca are now just family estates of the
Buonapartes.”

¶





»CHAPTER II

¶





»BOOK TWO: 1805





CHAPTER I

¶





»FIRST EPILOGUE: 1813 - 20





CHAPTER I

¶





»CHAPTER II

¶
"""

LAYOUTS["chapters with arabic numbers and titles, a nameless front"] = """MOBY-DICK;

or, THE WHALE.

By Herman Melville



CONTENTS

CHAPTER 1. Loomings.

CHAPTER 2. The Carpet-Bag.

CHAPTER 3. The Spouter-Inn.

Epilogue




»CHAPTER 1. Loomings.

Call me Ishmael. Some years ago—never mind how long precisely—having
little or no money in my purse.

¶


»CHAPTER 2. The Carpet-Bag.

¶


»CHAPTER 3. The Spouter-Inn.

¶

ENTER.

¶


»Epilogue

“AND I ONLY AM ESCAPED ALONE TO TELL THEE.” Job.

¶
"""

LAYOUTS["a diary: number, keeper and a note on separate lines"] = """DRACULA

_by_

Bram Stoker


CONTENTS

CHAPTER I. Jonathan Harker’s Journal
CHAPTER II. Jonathan Harker’s Journal
CHAPTER III. Letters, Etc.




»CHAPTER I

JONATHAN HARKER’S JOURNAL

(_Kept in shorthand._)


_3 May. Bistritz._—Left Munich at 8:35 P. M., on 1st May, arriving at
Vienna early next morning; should have arrived at 6:46.

¶




»CHAPTER II

JONATHAN HARKER’S JOURNAL--_continued_


_5 May._—¶

       *       *       *       *       *

¶




»CHAPTER III

LETTERS, ETC.


_Letter from Miss Mina Murray to Miss Lucy Westenra._

“_9 May._

“My dearest Lucy,--

¶

“MINA.

¶
"""

LAYOUTS["stories without numbers, in capitals, announced by the contents page"] = """The Strange Case Of Dr. Jekyll And Mr. Hyde

by Robert Louis Stevenson


Contents


 STORY OF THE DOOR
 SEARCH FOR MR. HYDE
 DR. JEKYLL WAS QUITE AT EASE
 THE LAST NIGHT




»STORY OF THE DOOR


Mr. Utterson the lawyer was a man of a rugged countenance that was
never lighted by a smile.

¶




»SEARCH FOR MR. HYDE


¶

DR. JEKYLL’S WILL

¶




»DR. JEKYLL WAS QUITE AT EASE


¶




»THE LAST NIGHT


¶
"""

LAYOUTS["titles in small letters in the contents, in capitals above the stories"] = """DUBLINERS

by James Joyce



Contents

 The Sisters
 An Encounter
 After the Race
 The Dead



»THE SISTERS


There was no hope for him this time: it was the third stroke.

¶




»AN ENCOUNTER


¶

¶




»AFTER THE RACE


¶




»THE DEAD


¶
"""

LAYOUTS["numbered stories, one of them with numbered parts"] = """The Adventures of Sherlock Holmes

by Arthur Conan Doyle


Contents

   I.     A Scandal in Bohemia
   II.    The Red-Headed League
   III.   A Case of Identity




»I. A SCANDAL IN BOHEMIA


I.

To Sherlock Holmes she is always _the_ woman. I have seldom heard him
mention her under any other name.

¶

II.

At three o’clock precisely I was at Baker Street, but Holmes had not
yet returned.

¶

III.

¶




»II. THE RED-HEADED LEAGUE


¶

THE RED-HEADED LEAGUE IS DISSOLVED. October 9, 1890.

¶




»III. A CASE OF IDENTITY


¶
"""

LAYOUTS["a play: scenes under acts, persons and contents before them"] = """THE TRAGEDY OF HAMLET, PRINCE OF DENMARK


by William Shakespeare



Contents

ACT I
Scene I. Elsinore. A platform before the Castle
Scene II. Elsinore. A room of state in the Castle

ACT II
Scene I. A room in Polonius’s house
Scene II. A room in the Castle



Dramatis Personæ

HAMLET, Prince of Denmark
CLAUDIUS, King of Denmark, Hamlet’s uncle
The GHOST of the late king, Hamlet’s father
Lords, Ladies, Officers, Soldiers, Sailors, Messengers and Attendants.

SCENE. Elsinore.



»ACT I

SCENE I. Elsinore. A platform before the Castle.

 Enter Francisco and Barnardo, two sentinels.

BARNARDO.
Who’s there?

FRANCISCO.
Nay, answer me. Stand and unfold yourself.

BARNARDO.
Long live the King!

»SCENE II. Elsinore. A room of state in the Castle.

 Enter Claudius King of Denmark, Gertrude the Queen, Hamlet, Polonius.

KING.
Though yet of Hamlet our dear brother’s death
The memory be green, and that it us befitted
To bear our hearts in grief, and our whole kingdom
To be contracted in one brow of woe;

 [_Exeunt._]

»ACT II

SCENE I. A room in Polonius’s house.

 Enter Polonius and Reynaldo.

POLONIUS.
Give him this money and these notes, Reynaldo.

»SCENE II. A room in the Castle.

HAMLET.
I

KING.
Welcome, dear Rosencrantz and Guildenstern.
Moreover that we much did long to see you,
The need we have to use you did provoke
Our hasty sending.
"""

LAYOUTS["an older print of a play, stage directions in brackets"] = """Macbeth



PERSONS REPRESENTED.

DUNCAN, King of Scotland.
MALCOLM, his Son.



»ACT I.

Scene I. An open Place. Thunder and Lightning.

[Enter three Witches.]

FIRST WITCH.
When shall we three meet again?
In thunder, lightning, or in rain?

[Exeunt.]

»Scene II. A Camp near Forres.

[Alarum within. Enter King Duncan.]

DUNCAN.
What bloody man is that? He can report,
As seemeth by his plight, of the revolt
The newest state.

»ACT II.

Scene I. Inverness. Court within the Castle.

BANQUO.
How goes the night, boy?

FLEANCE.
The moon is down; I have not heard the clock.
"""

LAYOUTS["act and scene in one line"] = """»ACT I. SCENE I. A street.

SAMPSON.
Gregory, on my word, we'll not carry coals.

GREGORY.
No, for then we should be colliers.

»ACT I. SCENE 2. A street.

CAPULET.
But Montague is bound as well as I,
In penalty alike; and 'tis not hard, I think.

»ACT II. SCENE I. A lane by the wall.

ROMEO.
Can I go forward when my heart is here?
"""

LAYOUTS["acts of a modern play, each with its room"] = """THE IMPORTANCE OF BEING EARNEST

A TRIVIAL COMEDY FOR SERIOUS PEOPLE

THE PERSONS IN THE PLAY

John Worthing, J.P.
Algernon Moncrieff
Lady Bracknell


»FIRST ACT

SCENE

Morning-room in Algernon’s flat in Half-Moon Street. The room is
luxuriously and artistically furnished.

[LANE is arranging afternoon tea on the table.]

ALGERNON.
Did you hear what I was playing, Lane?

LANE.
I didn’t think it polite to listen, sir.

ACT DROP



»SECOND ACT

SCENE

Garden at the Manor House. A flight of grey stone steps leads up to the
house.

MISS PRISM.
[_Calling_.] Cecily, Cecily!

ACT DROP



»THIRD ACT

SCENE

Morning-room at the Manor House.

CECILY.
They have been eating muffins.

TABLEAU
"""

LAYOUTS["acts that open with a stage direction"] = """A DOLL'S HOUSE

by Henrik Ibsen


DRAMATIS PERSONAE

Torvald Helmer.
Nora, his wife.


»ACT I

[SCENE.--A room furnished comfortably and tastefully, but not
extravagantly. At the back, a door to the right leads to the entrance-hall.]

_Nora_. Hide the Christmas Tree carefully, Helen. Be sure the children do
not see it until this evening, when it is dressed.

_Porter_. Sixpence.


»ACT II

[THE SAME SCENE.--The Christmas Tree is in the corner by the piano.]

_Nora_. Someone is coming now!


»ACT III

[THE SAME SCENE.--The table has been placed in the middle of the stage.]

_Mrs. Linde_. Not yet--and the time is nearly up.
"""

LAYOUTS["an epic in books"] = """Paradise Lost




»Book I


Of Man's first disobedience, and the fruit
Of that forbidden tree whose mortal taste
Brought death into the World, and all our woe,
With loss of Eden, till one greater Man

♪

♪



»Book II


High on a throne of royal state, which far
Outshone the wealth of Ormus and of Ind,

♪



»Book III


♪
"""

LAYOUTS["cantos under cantiche"] = """THE DIVINE COMEDY


»HELL



CANTO I


In the midway of this our mortal life,
I found me in a gloomy wood, astray

♪

»CANTO II


Now was the day departing, and the air,
Imbrown'd with shadows, from their toils releas'd

♪

»CANTO III


♪
""".replace("»HELL", "HELL").replace("CANTO I\n", "»CANTO I\n", 1)

LAYOUTS["a novel in letters, each with a salutation"] = """PAMELA, or VIRTUE REWARDED



»LETTER I

DEAR FATHER AND MOTHER,

I have great trouble, and some comfort, to acquaint you with.

¶

I am your dutiful DAUGHTER till death.



»LETTER II

[In answer to the preceding.]

DEAR PAMELA,

¶

Your careful, but loving FATHER and MOTHER,

JOHN AND ELIZABETH ANDREWS.



»LETTER III

DEAR FATHER,

¶
"""

LAYOUTS["volumes, books, chapters"] = """LES MISÉRABLES

By Victor Hugo



»VOLUME I

FANTINE



BOOK FIRST—A JUST MAN




CHAPTER I—M. MYRIEL


In 1815, M. Charles-François-Bienvenu Myriel was Bishop of D——.

¶




»CHAPTER II—M. MYRIEL BECOMES M. WELCOME


¶




»BOOK SECOND—THE FALL




CHAPTER I—THE EVENING OF A DAY OF WALKING


¶




»VOLUME II

COSETTE



BOOK FIRST—WATERLOO




CHAPTER I—WHAT IS MET WITH ON THE WAY FROM NIVELLES


¶
"""

LAYOUTS["parts above books above chapters, a letter by the author first"] = """THE BROTHERS KARAMAZOV

Translated from the Russian of Fyodor Dostoyevsky



»PART I

Book I. The History Of A Family

Chapter I. Fyodor Pavlovitch Karamazov

Alexey Fyodorovitch Karamazov was the third son of Fyodor Pavlovitch
Karamazov, a land owner well known in our district in his own day.

¶

»Chapter II. He Gets Rid Of His Eldest Son

¶

»Book II. An Unfortunate Gathering

Chapter I. They Arrive At The Monastery

¶

»PART II

Book IV. Lacerations

Chapter I. Father Ferapont

¶

»EPILOGUE

Chapter I. Plans For Mitya’s Escape

¶

»Chapter II. For A Moment The Lie Becomes Truth

¶
"""

LAYOUTS["a prelude, epigraphs above chapters, a finale"] = """Middlemarch

by George Eliot



»PRELUDE.

Who that cares much to know the history of man has not dwelt, at least
briefly, on the life of Saint Theresa?

¶




»BOOK I.
MISS BROOKE.




CHAPTER I.

Since I can do no good because a woman,
Reach constantly at something that is near it.
                    —_The Maid’s Tragedy:_ BEAUMONT AND FLETCHER.


Miss Brooke had that kind of beauty which seems to be thrown into
relief by poor dress.

¶




»CHAPTER II.

“‘Dime; no ves aquel caballero que hacia nosotros viene
sobre un caballo rucio rodado?’”—CERVANTES.


¶




»BOOK II.
OLD AND YOUNG.




CHAPTER III.

♪


¶




»FINALE.

Every limit is a beginning as well as an ending.

¶
"""

LAYOUTS["phases with bare numbers below them"] = """Tess of the d'Urbervilles




»Phase the First: The Maiden




I


On an evening in the latter part of May a middle-aged man was walking
homeward from Shaston to the village of Marlott.

¶


»II


¶


»Phase the Second: Maiden No More




III


¶


»IV


¶
"""

LAYOUTS["volumes with restarting chapters"] = """EMMA

By Jane Austen



»VOLUME I



CHAPTER I


Emma Woodhouse, handsome, clever, and rich, with a comfortable home and
happy disposition, seemed to unite some of the best blessings of existence.

¶



»CHAPTER II


¶



»VOLUME II



CHAPTER I


¶



»CHAPTER II


¶
"""

LAYOUTS["a remark in brackets between part and chapter"] = """A STUDY IN SCARLET.

By A. Conan Doyle




»PART I.

(_Being a reprint from the Reminiscences of_ JOHN H. WATSON, M.D., _Late
of the Army Medical Department._)




CHAPTER I.
MR. SHERLOCK HOLMES.


IN the year 1878 I took my degree of Doctor of Medicine.

¶




»CHAPTER II.
THE SCIENCE OF DEDUCTION.


¶




»PART II. _The Country of the Saints._




CHAPTER I.
ON THE GREAT ALKALI PLAIN.


¶
"""

LAYOUTS["bare numbers with a title on the next line under books"] = """The War of the Worlds

by H. G. Wells


   ‘But who shall dwell in these worlds if they be inhabited?
   . . .  Are we or they Lords of the World?’
                    KEPLER (quoted in _The Anatomy of Melancholy_)




»BOOK ONE
THE COMING OF THE MARTIANS




I.
THE EVE OF THE WAR.


No one would have believed in the last years of the nineteenth century
that this world was being watched keenly and closely.

¶




»II.
THE FALLING STAR.


¶




»BOOK TWO
THE EARTH UNDER THE MARTIANS




I.
UNDER FOOT.


¶




»II.
WHAT WE SAW FROM THE RUINED HOUSE.


¶
"""

LAYOUTS["bare numbers alone after an opening without a heading"] = """THE TURN OF THE SCREW

by Henry James



»The story had held us, round the fire, sufficiently breathless, but
except the obvious remark that it was gruesome, I remember no comment
uttered till somebody happened to say that it was the only case he had met.

¶



»I


I remember the whole beginning as a succession of flights and drops.

¶



»II


¶



»III


¶
"""

LAYOUTS["markdown"] = """# The Ferry Book

## Chapter One

¶

---

¶

## Chapter Two

¶

# 3 Baker Row

¶
""".replace("## Chap", "»## Chap")

LAYOUTS["markdown titles without numbers"] = """# The Ferry Book

»## The Lantern

¶

»## The Mill

¶

»## Ice

¶
"""

LAYOUTS["titles wrapped over two lines of capitals"] = """AROUND THE WORLD IN EIGHTY DAYS



»CHAPTER I.
IN WHICH PHILEAS FOGG AND PASSEPARTOUT ACCEPT EACH OTHER, THE ONE AS
MASTER, THE OTHER AS MAN


Mr. Phileas Fogg lived, in 1872, at No. 7, Saville Row, Burlington
Gardens.

¶



»CHAPTER II.
IN WHICH PASSEPARTOUT IS CONVINCED THAT HE HAS AT LAST FOUND HIS IDEAL


¶
"""

LAYOUTS["long titles after a dash, lower-case numerals"] = """THE HISTORY OF TOM JONES, A FOUNDLING

by Henry Fielding


»BOOK I. — CONTAINING AS MUCH OF THE BIRTH OF THE FOUNDLING AS IS
NECESSARY OR PROPER TO ACQUAINT THE READER WITH IN THE BEGINNING OF THIS
HISTORY.

Chapter i. — The introduction to the work, or bill of fare to the feast.

An author ought to consider himself, not as a gentleman who gives a
private or eleemosynary treat.

¶

»Chapter ii. — A short description of squire Allworthy, and a fuller
account of Miss Bridget Allworthy, his sister.

¶

»BOOK II. — CONTAINING SCENES OF MATRIMONIAL FELICITY.

Chapter i. — Showing what kind of a history this is.

¶
"""

LAYOUTS["an argument in italics below each chapter heading"] = """GULLIVER’S TRAVELS


»PART I. A VOYAGE TO LILLIPUT.


CHAPTER I.

The author gives some account of himself and family. His first
inducements to travel. He is shipwrecked, and swims for his life.


My father had a small estate in Nottinghamshire: I was the third of
five sons.

¶


»CHAPTER II.

The emperor of Lilliput, attended by several of the nobility, comes to
see the author in his confinement.


¶


»PART II. A VOYAGE TO BROBDINGNAG.


CHAPTER I.

A great storm described; the long boat sent to fetch water.


¶
"""

LAYOUTS["days above stories"] = """THE DECAMERON


»DAY THE FIRST



THE FIRST STORY


¶



»THE SECOND STORY


¶



»DAY THE SECOND



THE FIRST STORY


¶
"""

LAYOUTS["headings after a single newline"] = """»Chapter 1
¶
¶
»Chapter 2
¶
»Chapter 3
¶
"""

LAYOUTS["form feeds and centred headings"] = (
    "                    »CHAPTER ONE\n\n          The Lantern\n\n¶\n\f                    »CHAPTER "
    "TWO\n\n          The Mill\n\n¶\n"
)

LAYOUTS["chapters the first, the second, the last"] = """»Chapter the First

¶

»Chapter the Second

¶

»Chapter the Twenty-Third

¶

»Chapter the Last

¶
"""

LAYOUTS["a prologue in Chinese, then chapters"] = """
»楔子　張天師祈禳瘟疫　洪太尉誤走妖魔

     紛紛五代亂離間，一旦雲開復見天！草木百年新雨露，車書萬里舊江山。

◎

◎

»第一回　王教頭私走延安府　九紋龍大鬧史家村

◎

◎

»第二回　史大郎夜走華陰縣　魯提轄拳打鎮關西

◎
"""

LAYOUTS["Chinese chapters with rules below them, one glued to the prose before it"] = """
»第一回　甄士隱夢幻識通靈　賈雨村風塵怀閨秀
-----------------------------------------------------------------
此開卷第一回也．作者自云：因曾歷過一番夢幻之后，故將真事隱去，
而借"通靈"之說，撰此《石頭記》一書也．
第一回中的事且按下不表，
◎


»第二回　　賈夫人仙逝揚州城　冷子興演說榮國府

-----------------------------------------------------------------

　　詩云

　　一局輸贏料不真，香銷茶盡尚逡巡．欲知目下興衰兆，須問旁觀冷眼人．
◎
：“雨村兄，恭喜了！特來報個喜信的。”雨村忙回頭看時-
»第三回

-----------------------------------------------------------------

---------------

　　　　　　　　　　 賈雨村夤緣复舊職　林黛玉拋父進京都


　　卻說雨村忙回頭看時，不是別人，乃是當日同僚一案參革的號張如圭者
．
◎
"""

LAYOUTS["Chinese chapters with a colon and a contents page"] = """三國演義

羅貫中


目錄

第一回：宴桃園豪傑三結義，斬黃巾英雄首立功
第二回：張翼德怒鞭督郵，何國舅謀誅宦豎
第三回：議溫明董卓叱丁原，餽金珠李肅說呂布


»第一回：宴桃園豪傑三結義，斬黃巾英雄首立功

　　滾滾長江東逝水，浪花淘盡英雄。

◎

»第二回：張翼德怒鞭督郵，何國舅謀誅宦豎

◎

»第三回：議溫明董卓叱丁原，餽金珠李肅說呂布

◎
"""

LAYOUTS["simplified Chinese, volumes and chapters with arabic numbers"] = """»第一卷 渡口

第1章 深秋
◎
◎
»第2章 来客
◎
»第二卷 磨坊

第3章 大雪
◎
第二章书上的话，他早已忘了。
◎
»尾声

◎
"""

LAYOUTS["Chinese volumes without chapters, a preface and a postscript"] = """聊齋

»自序

◎

»卷一

◎

»卷二

◎

»卷之三

◎

»跋

◎
"""

LAYOUTS["Chinese headings joined to their titles"] = """»第一回靈根育孕源流出心性修持大道生
◎
◎
»第二回悟徹菩提真妙理斷魔歸本合元神
◎
第三回合戰罷，二人各自收兵。
◎
»第三回四海千山皆拱伏九幽十類盡除名
◎
"""
