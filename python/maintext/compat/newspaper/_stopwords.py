"""Frequent words that are no keywords, for the most used languages; chosen by hand, and short."""

from __future__ import annotations

_LISTS = {
    "en": """a about above across after again against all almost along already also although always am among an and another any
anybody anyone anything are aren't around as ask asked at away back be became because become been before began behind being below
between both but by came can can't cannot could couldn't come comes did didn't do does doesn't doing don't done down during each
either else enough even ever every everyone everything far few first for from further gave get gets give given go goes going gone
got had hadn't has hasn't have haven't having he he'd he'll he's her here here's hers herself him himself his how however i i'd
i'll i'm i've if in instead into is isn't it it's its itself just keep kept knew know known last later least less let let's like
likely made make makes making many may maybe me might mine more most mostly mr mrs ms much must mustn't my myself near nearly
never new next no nobody non none nor not nothing now of off often on once one ones only onto or other others ought our ours
ourselves out over own per perhaps put quite rather really said same saw say saying says second see seem seemed seems seen several
shall she she'd she'll she's should shouldn't since so some somebody someone something sometimes soon still such take taken tell
than that that's the their theirs them themselves then there there's these they they'd they'll they're they've think this those
though three through thus till to today together told too took toward towards two under until up upon us use used uses using very
via want wanted wants was wasn't we we'd we'll we're we've well went were weren't what what's whatever when where whether which
while who who's whole whom whose why will with within without won't would wouldn't yes yet you you'd you'll you're you've your
yours yourself yourselves""",
    "de": """aber alle allem allen aller alles als also am an andere anderen auch auf aus bei beim bereits bin bis bisher bist da
dabei dadurch dafür damit dann daran darauf daraus darin das dass davon dazu dein dem den denn der des deshalb die dies diese
diesem diesen dieser dieses doch dort du durch ein eine einem einen einer eines einige einmal er erst es etwa etwas euch euer für
gegen gewesen ganz habe haben hat hatte hatten hier hin hinter ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im immer in indem ins
ist ja jede jedem jeden jeder jedes jedoch jetzt kann kein keine keinen können konnte machen man mehr mein meine mich mir mit muss
müssen nach nachdem neben nein nicht nichts noch nun nur ob oder ohne sagt sagte schon sehr sein seine seinem seinen seiner seit
sich sie sind so sogar solche soll sollen sollte sondern sonst sowie über um und uns unser unter viel viele vom von vor während
war waren warum was weil weiter welche welcher wenn wer werde werden weshalb wie wieder will wir wird wo wollen worden wurde
wurden zu zum zur zwar zwischen""",
    "fr": """a afin ai ainsi alors après au aucun aussi autre autres aux avaient avait avant avec avoir beaucoup bien car ce ceci
cela celle celles celui cependant ces cet cette ceux chaque chez ci comme comment contre d dans de depuis des deux doit donc dont
du elle elles en encore entre est et étaient était étant être eu eux fait faire fois font hors ici il ils j je jusqu l la le les
leur leurs lors lui là ma mais me même mes moi moins mon n ne ni non nos notre nous on ont ou où par parce pas pendant peu peut
plus pour pourquoi près puis qu quand que quel quelle quelques qui quoi sa sans se selon sera ses si soit son sont sous sur ta
tandis tant te tel telle tes toi ton tous tout toute toutes très trop tu un une va vers via voici voilà vos votre vous y à ça été""",
    "es": """a al algo algunos ante antes aquel así aún aunque bien cada casi como con contra cual cuando de del desde donde dos
durante e el él ella ellas ellos en entre era eran es esa esas ese eso esos esta está están estaba este esto estos fue fueron ha
había habían han has hasta hay hace hacer hoy la las le les lo los más me mi mientras mis mismo mucho muy nada ni no nos nosotros
nuestra nuestro o os otra otro otros para parte pero poco por porque pues que qué quien quienes se sea según ser si sí sido sin
sobre solo son su sus también tan tanto te tener tiene tienen toda todas todo todos tras tu tus un una uno unos usted y ya yo""",
    "it": """a ad agli ai al alla alle allo anche ancora avere aveva c che chi ci come con contro cosa cui da dagli dai dal dalla
dalle dei del della delle dello di dopo dove due e è ed era erano essere fa fino fra gli ha hanno ho i il in io la le lei li lo
loro lui ma me mentre mi mia mio molto ne negli nei nel nella nelle nello no noi non nostro o ogni ora per perché però più poi
prima può quale quando quella quelle quelli quello questa queste questi questo qui quindi sarà se sei senza si sia siamo sono
sopra sotto stata stato su sua sue sugli sui sul sulla suo suoi tra tu tutta tutte tutti tutto un una uno va verso vi voi""",
    "pt": """a à ainda além algo alguns ante antes ao aos apenas após aquela aquele aqui as às assim até cada com como contra da
das de depois desde dessa desse desta deste disse do dois dos duas durante e é ela elas ele eles em enquanto entre era eram essa
esse esta está estão estar este eu faz foi foram há isso isto já lhe mais mas me mesmo meu minha muito muitos na não nas nem no
nos nós nossa nosso num numa o onde os ou outra outro outros para pela pelas pelo pelos per pode pois por porque pouco quando
quanto que quem se segundo sem ser será seu seus sido sob sobre são só sua suas também tanto te tem têm ter todas todo todos tu
tudo um uma uns você""",
    "nl": """aan achter af al alle alles als altijd ander andere behalve bij binnen daar dan dat de deze die dit doch doen door
drie dus een eens eerst elk en er even gaan gaat geen geweest had hadden hare heb hebben heeft hem hen het hier hij hoe hun iets
ik in is ja je jij jullie kan kon kunnen maar meer men met mij mijn moet na naar naast niet niets nog nu of om omdat onder ons
onze ook op over te tegen toch toen tot tussen twee u uit uw van veel voor waar waren was wat we weer wel werd werden wie wij wil
worden wordt zal ze zei zeer zelf zich zij zijn zo zoals zonder zou zouden""",
    "sv": """alla allt att av bara blev bli blir då de dem den denna deras dess dessa det detta dig din dock du efter eller en er
ett från för fått få får genom ha hade han hans har hela henne hennes hon honom hur här i icke in inga ingen inom inte ja jag kan
kunde man med mellan men mer mig min mot mycket ni nog nu någon något några när och också om oss på sedan sig sin sina själv ska
skulle som så sådan till ut under upp utan vad var vara varit vem vi vid vilka vilken vill är än över""",
    "da": """ad af alle alt anden at blev blive bliver da de dem den denne der deres det dette dig din disse dog du efter eller en
end er et for fra få får før ha han hans har havde have hende hendes her hun hvad hvis hvor i ikke ind ingen jeg jo kan kun kunne
man mange med meget men mere mig min mod mon ned noget nogle nok nu når og også om op os over på selv sig sin sine skal skulle som
sådan så thi til ud under var ved vi vil ville vor være været""",
    "no": """alle alt andre at av bare ble bli blir da de deg dem den denne der deres det dette dere din disse du eller en enn er
et ett etter for fordi fra få får før ha hadde han hans har hele henne hennes her hun hva hvem hver hvis hvor hvordan i ikke ingen
inn ja jeg kan kunne man mange med meg mellom men mer mot mye må ned nei noe noen nok nå når og også om opp oss over på seg selv
sin skal skulle som så til under ut uten var ved vi vil ville være vært vår""",
    "pl": """a aby ale ani bardzo bez bo by był była było były być będzie będą co czy dla do dwa gdy gdzie go i ich ile im inne iż
ja jak jako je jednak jego jej jest jeszcze jeśli już każdy kiedy kto która które którego której który których którzy lub ma mają
mi mnie może można mu my na nad nam nas nawet nie nich niego nim nimi niż no o od on ona one oni oraz po pod podczas poza przed
przez przy się są ta tak także tam te tego tej ten też to tu ty tych tylko tym u w we więc wszystko z za że żeby""",
    "ru": """а без более больше будет будто бы был была были было быть в вам вас весь во вот все всего всех вы где да даже для до
его ее её если есть ещё еще же за здесь и из или им их к как какая какой когда кто куда ли лишь между меня мне много может можно
мой мы на над надо нас не него нее ней нет ни них но ну о об один он она они оно от перед по под после потом потому почти при про
раз с сам свою своей своих себя сейчас со так также такой там те тем то тогда того тоже только том тот три тут ты у уже хотя чего
чем через что чтобы эта эти это этого этой этом этот я""",
    "uk": """а але б без більше був була були було бути в вам вас ви від він вона вони все всі де для до дуже є її його із і й зі з
за ж же ще коли кого ли лише між мене мені ми на над нас не нема ні них ну о об один по під після при про себе свого своїх своєї
серед собі та так також там те ти того той тому тоді то тут у уже хто це цей ця цього цьому через чи чим що щоб як яка який якщо я""",
    "tr": """ama ancak artık aslında az bana bazı belki ben beni bile bir biraz birçok biz bu buna bunu bunun burada çok çünkü da
daha de değil diğer diye dolayı en fakat gibi göre hala hangi hem hep her hiç için ile ilgili ise işte kadar karşı kendi ki kim mı
mi mu mü nasıl ne neden nerede o olan olarak oldu olduğu olur olsa on ona ondan onlar onu onun önce sadece sanki sen siz son sonra
şey şu tarafından tüm üzere var ve veya ya yani yok zaten""",
    "cs": """a aby ale ani až bez bude by byl byla byli bylo být co což další do ho i jak jako je jeho její jejich jen ještě jeho
ji již jsem jsme jsou k kde kdo když která které který ke má mezi mi mít mu může my na nad nebo než není ně o od on ona oni pak po
pod podle pokud pouze pro proto protože před při s se si své svůj ta tak také takže tam ten tento to tohoto toho tomu tu ty u už v
ve více všechny však z za že""",
    "id": """ada adalah agar akan aku anda antara apa atas atau bagi bahwa banyak baru bagaimana beberapa belum bisa bukan dalam
dan dapat dari dengan di dia hal hanya harus hingga ia ini itu jika juga kami kamu karena kata ke kembali kepada kita lagi lain
lebih maka masih mereka namun oleh orang pada para pernah saat saja sama sampai sangat saya sebagai sebelum sebuah secara sedang
sejak selain semua seperti serta setelah suatu sudah tak tapi telah tentang terhadap tersebut tetapi tidak untuk yaitu yang""",
}
_LISTS["nb"] = _LISTS["no"]


def words_of(language: str) -> set[str]:
    """Returns the frequent words of a language; an empty set if there is no list."""
    return set(_LISTS.get(language, "").split())
